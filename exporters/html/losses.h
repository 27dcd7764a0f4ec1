/* A page does not show all that its GLB has. */
#ifndef CELLPIPE_EXPORTERS_HTML_LOSSES_H
#define CELLPIPE_EXPORTERS_HTML_LOSSES_H

#include "plugins/exporter.h"

/* Reports what three.js r111 does not show of the materials that are drawn: once a kind, with a count. */
cp_status html_report_losses(cp_context *context, const cp_scene *scene);

#endif
