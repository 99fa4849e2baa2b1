# What completes command lines, written by the program and installed where shells look for it. Included:
# orrery_add_completions(TARGET). Run as a script (cmake -P): writes the files into FOLDER.
set(orrery_completion_files
  bash share/bash-completion/completions/orrery
  zsh share/zsh/site-functions/_orrery
  fish share/fish/vendor_completions.d/orrery.fish)

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(orrery_completions_script "${CMAKE_CURRENT_LIST_FILE}")

  # Builds with sanitizers, which are not installed, go without.
  function(orrery_add_completions program)
    if(ORRERY_SANITIZE OR ORRERY_SANITIZE_THREADS)
      return()
    endif()
    set(folder ${PROJECT_BINARY_DIR}/completions)
    add_custom_command(TARGET ${program} POST_BUILD
                       COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${program}> -D FOLDER=${folder}
                               -P ${orrery_completions_script}
                       VERBATIM COMMENT "Writing completions")
    install(DIRECTORY ${folder}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR})
  endfunction()
  return()
endif()

file(REMOVE_RECURSE ${FOLDER})
while(orrery_completion_files)
  list(POP_FRONT orrery_completion_files shell file)
  execute_process(COMMAND ${PROGRAM} completion ${shell} OUTPUT_VARIABLE script COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${FOLDER}/${file} "${script}")
endwhile()
