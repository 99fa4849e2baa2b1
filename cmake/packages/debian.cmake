# What Debian asks of the files of its packages, once they lie in the folders that become packages: run by cpack.
set(source ${CPACK_ORRERY_PACKAGES}/../..)
set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
file(STRINGS ${source}/CITATION.cff day REGEX "^date-released: ")
string(REPLACE "date-released: " "" day ${day})
execute_process(COMMAND date --utc --rfc-email --date ${day} OUTPUT_VARIABLE day OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)

foreach(component programs development python)
  string(TOUPPER ${component} key)
  set(package ${CPACK_DEBIAN_${key}_PACKAGE_NAME})
  set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr/share)
  if(NOT EXISTS ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component})
    continue()
  endif()

  # Licence and changelogs have one name in all packages.
  set(doc ${share}/doc/${package})
  file(MAKE_DIRECTORY ${doc})
  file(COPY_FILE ${source}/LICENSE ${doc}/copyright)
  file(REMOVE ${doc}/LICENSE)
  file(COPY_FILE ${source}/CHANGELOG.md ${doc}/changelog)
  file(WRITE ${doc}/changelog.Debian
       "${package} (${version}) stable; urgency=medium\n\n  * ${CPACK_PACKAGE_VERSION}: see changelog.gz.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  ${day}\n")

  # Its zsh looks elsewhere than others do.
  if(EXISTS ${share}/zsh/site-functions)
    file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
  endif()

  file(GLOB pages ${share}/man/*/*)
  execute_process(COMMAND gzip -9nf ${doc}/changelog ${doc}/changelog.Debian ${pages} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
