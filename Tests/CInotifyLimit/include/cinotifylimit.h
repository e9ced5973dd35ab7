#ifndef CINOTIFYLIMIT_H
#define CINOTIFYLIMIT_H

/// From now on this process gets no further inotify instance, as if its user had used them up.
void cinotifylimit_reached(void);

#endif
