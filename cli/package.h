/* The packages of ROS, for info. */
#ifndef CELLPIPE_CLI_PACKAGE_H
#define CELLPIPE_CLI_PACKAGE_H

#include "cli.h"

/* Tells whether a path is a folder with a package.xml. */
bool is_package_folder(const char *path);
/* Lists the robots of a package. CP_INPUT if the package.xml names none, or some file or folder cannot be read; all
 * others are listed. */
cp_status info_package(struct cli *cli, const char *folder, bool json);

#endif
