# For clang: what GCC does by itself, or otherwise.
#
# Tables of jumps are what the build's analysis knows of GCC only. Of single accesses that are atomic
# clang makes calls (port/armv6m/atomics.S), which it warns of. It knows the option that keeps
# registers of the FPU out of the kernel by another name.
list(APPEND common_flags --target=arm-none-eabi -fomit-frame-pointer -fno-jump-tables
    -Wno-atomic-alignment)
list(TRANSFORM TAKT_KERNEL_FLAGS REPLACE ^-mgeneral-regs-only$ -mno-implicit-float)

# Inline functions of headers that are defined once more, with code, are GCC's.
set(arduino_definitions TAKT_DEFINES_PINS=)

# gcc_headers(LANGUAGE RESULT): the folders of headers of GCC's C or C++ library, as options.
function(gcc_headers language result)
    execute_process(COMMAND ${TAKT_GCC} ${TAKT_CPU_FLAGS} -E -v -x ${language} /dev/null
        OUTPUT_QUIET ERROR_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "\n /[^\n]+" folders "${said}")
    set(found)
    foreach(folder ${folders})
        string(STRIP ${folder} folder)
        if(IS_DIRECTORY ${folder} AND NOT folder MATCHES "/gcc/[^/]+/[^/]+/include(-fixed)?$")
            cmake_path(NORMAL_PATH folder)
            list(APPEND found -isystem${folder})
        endif()
    endforeach()
    set(${result} ${found} PARENT_SCOPE)
endfunction()
gcc_headers(c clang_c_flags)
gcc_headers(c++ clang_cxx_flags)
list(APPEND clang_cxx_flags -nostdinc++)
