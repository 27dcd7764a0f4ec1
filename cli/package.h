/* The packages of ROS, for info. */
#ifndef CELLPIPE_CLI_PACKAGE_H
#define CELLPIPE_CLI_PACKAGE_H

#include "cli.h"

bool is_folder(const char *path);
/* Lists the packages in a folder, itself included, and their robots. CP_NO if there are none; CP_INPUT if a package.xml
 * names none, or some file or folder cannot be read: all others are listed. */
cp_status info_folder(struct cli *cli, const char *folder, bool json);

#endif
