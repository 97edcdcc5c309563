# Takt in a CMake project: find_package(Takt) or add_subdirectory(takt); docs/cmake.md.
#
# takt::kernel              headers of the kernel's C API
# takt_firmware(NAME BOARD board SOURCES source... [LIBRARIES folder...] [COMPILER gcc|clang]
#               [CHECKS] [NO_TRACE] [LTO])
#   builds NAME/NAME.elf and the images of the board, whose paths are in the target's properties
#   TAKT_ELF, TAKT_BIN, TAKT_HEX, TAKT_UF2; NAME-run (TAKT_SECONDS of virtual time), NAME-check,
#   NAME-size, NAME-flash (to TAKT_PORT)
#
# Takt's own build compiles and links a program, several times until its stacks fit, and judges it;
# here is one command that runs it. So a project's compilers may be for the host, and programs for
# several boards are in one build tree.
cmake_minimum_required(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/TaktCommand.cmake)
if(NOT TARGET takt::kernel)
    execute_process(COMMAND ${TAKT_COMMAND} --cmake-dir OUTPUT_VARIABLE takt_folder
        OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    cmake_path(GET takt_folder PARENT_PATH takt_folder)
    add_library(takt_kernel INTERFACE)
    add_library(takt::kernel ALIAS takt_kernel)
    target_include_directories(takt_kernel SYSTEM INTERFACE ${takt_folder}/include)
endif()

function(takt_firmware name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "CHECKS;NO_TRACE;LTO" "BOARD;COMPILER" "SOURCES;LIBRARIES")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "takt_firmware(${name}): ${arg_UNPARSED_ARGUMENTS}?")
    endif()
    foreach(needed BOARD SOURCES)
        if(NOT arg_${needed})
            message(FATAL_ERROR "takt_firmware(${name}) needs ${needed}")
        endif()
    endforeach()
    if(arg_BOARD MATCHES "/") # a folder
        cmake_path(ABSOLUTE_PATH arg_BOARD NORMALIZE)
    endif()
    set(sources)
    foreach(source ${arg_SOURCES})
        cmake_path(ABSOLUTE_PATH source NORMALIZE)
        list(APPEND sources ${source})
    endforeach()
    takt_images(${arg_BOARD} kinds)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${name})
    set(how ${out}/${name}.program --board ${arg_BOARD})
    foreach(folder ${arg_LIBRARIES})
        cmake_path(ABSOLUTE_PATH folder NORMALIZE)
        list(APPEND how --library ${folder})
    endforeach()
    if(arg_COMPILER)
        list(APPEND how --compiler ${arg_COMPILER})
    endif()
    if(arg_CHECKS)
        list(APPEND how --checks)
    endif()
    if(arg_NO_TRACE)
        list(APPEND how --no-trace)
    endif()
    set(linked ${how} --out ${out})
    if(arg_LTO)
        list(APPEND linked --lto)
    endif()

    # Nothing of it is compiled by CMake: its sources are there for IDEs, and what is set for it by
    # target_include_directories() and so on, INTERFACE, goes into the program file.
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE takt::kernel)
    set(outputs)
    foreach(kind ${kinds})
        string(TOUPPER ${kind} KIND)
        list(APPEND outputs ${out}/${name}.${kind})
        set_target_properties(${name} PROPERTIES TAKT_${KIND} ${out}/${name}.${kind})
    endforeach()
    list(JOIN sources "\nsource " content)
    string(PREPEND content "folder ${CMAKE_CURRENT_SOURCE_DIR}\nsource ")
    foreach(what "source SOURCES" "include INCLUDE_DIRECTORIES" "define COMPILE_DEFINITIONS"
            "option COMPILE_OPTIONS" "linking LINK_OPTIONS")
        separate_arguments(what)
        list(GET what 0 word)
        list(GET what 1 property)
        set(values $<TARGET_PROPERTY:${name},INTERFACE_${property}>)
        string(APPEND content "\n${word} $<JOIN:${values},\n${word} >")
    endforeach()
    file(GENERATE OUTPUT ${out}/${name}.program CONTENT "${content}\n")
    cmake_language(EVAL CODE "cmake_language(DEFER CALL takt_require_interfaces \
        [[${name}]] [[${CMAKE_SOURCE_DIR}]] [[${name}]])")
    add_custom_command(OUTPUT ${outputs}
        BYPRODUCTS ${out}/compile_commands.json
        COMMAND ${TAKT_COMMAND} build ${linked} --warnings --depfile ${out}/${name}.d
        DEPENDS ${sources} $<TARGET_PROPERTY:${name},INTERFACE_SOURCES> ${out}/${name}.program
        DEPFILE ${out}/${name}.d
        COMMENT "Takt: ${name} for ${arg_BOARD}" VERBATIM)
    target_sources(${name} PRIVATE ${sources} ${outputs})

    set(told $<TARGET_PROPERTY:${name},TAKT_SECONDS>)
    takt_command(${name} run run ${linked} $<$<BOOL:${told}>:--seconds> $<$<BOOL:${told}>:${told}>)
    takt_command(${name} check check ${how} --out ${out}/check) # which refused programs become, too
    takt_command(${name} size size ${linked})
    if(hex IN_LIST kinds)
        set(port $<TARGET_PROPERTY:${name},TAKT_PORT>)
        takt_command(${name} flash flash ${out}/${name}.hex --board ${arg_BOARD}
            $<$<BOOL:${port}>:--port> $<$<BOOL:${port}>:${port}>)
        add_dependencies(${name}-flash ${name})
    endif()
endfunction()

# NAME-TARGET: a command of Takt's, in the folder of the program's world.
function(takt_command name target)
    add_custom_target(${name}-${target} COMMAND ${TAKT_COMMAND} ${ARGN}
        WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} USES_TERMINAL VERBATIM COMMAND_EXPAND_LISTS)
endfunction()

# The kinds of files that a program for the board becomes, elf first.
function(takt_images board result)
    get_property(known GLOBAL PROPERTY "takt_images ${board}")
    if(NOT known)
        execute_process(COMMAND ${TAKT_COMMAND} package images --board ${board}
            OUTPUT_VARIABLE known OUTPUT_STRIP_TRAILING_WHITESPACE
            ERROR_VARIABLE said RESULT_VARIABLE failed)
        if(failed)
            message(FATAL_ERROR "${said}")
        endif()
        separate_arguments(known)
        set_property(GLOBAL PROPERTY "takt_images ${board}" ${known})
    endif()
    if(EXISTS ${board}/board.toml)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${board}/board.toml)
    endif()
    set(${result} ${known} PARENT_SCOPE)
endfunction()

# Refuses compiled libraries among what a program is linked with, at any distance: its sources are
# compiled for the board, by Takt. What is no target of this folder may be one of the outermost.
function(takt_require_interfaces firmware outermost)
    set(seen)
    set(left ${ARGN})
    while(left)
        list(POP_FRONT left one)
        if(one MATCHES "^\\$<(LINK_ONLY|BUILD_INTERFACE|BUILD_LOCAL_INTERFACE):(.+)>$")
            set(one ${CMAKE_MATCH_2})
        endif()
        if(one IN_LIST seen OR one MATCHES "^(::@|\\$<INSTALL_INTERFACE:)")
            continue()
        endif()
        list(APPEND seen ${one})
        set(kind "no target")
        if(TARGET ${one})
            get_target_property(kind ${one} TYPE)
        elseif(outermost)
            cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [[${outermost}]] CALL
                takt_require_interfaces [[${firmware}]] [[]] [[${one}]])")
            continue()
        endif()
        if(NOT kind STREQUAL INTERFACE_LIBRARY)
            message(FATAL_ERROR "takt_firmware(${firmware}) is linked with ${one} (${kind}): Takt compiles "
                "all of a firmware; give it the sources, or an INTERFACE library that has them: "
                "target_sources(${one} INTERFACE ...)")
        endif()
        get_target_property(more ${one} INTERFACE_LINK_LIBRARIES)
        if(more)
            list(APPEND left ${more})
        endif()
    endwhile()
endfunction()
