"""The documents as a site: Markdown and headers through Doxygen, and every link checked."""
