/*===- renames.c - Ends a process at its n-th rename -----------------------===*\
|*                                                                            *|
|* Part of Yarrow, under the Apache License v2.0.                             *|
|*                                                                            *|
|* For test/e2e/kill.py: a library to be loaded before the C library. With    *|
|* KILL_AT_RENAME=n the process dies before its n-th rename, as by a power    *|
|* failure; with a number that is too large, nothing happens.                 *|
|*                                                                            *|
|*   LD_PRELOAD=librenames.so KILL_AT_RENAME=2 yarrow quantize ...            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int rename(const char *from, const char *to) {
  static int count;
  const char *last = getenv("KILL_AT_RENAME");
  if (last && ++count == atoi(last))
    kill(getpid(), SIGKILL);
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
