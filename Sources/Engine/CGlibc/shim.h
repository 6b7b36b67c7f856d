#include <malloc.h>
#include <sys/statfs.h>
