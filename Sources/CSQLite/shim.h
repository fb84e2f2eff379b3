#pragma once
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <sqlite3.h>

/* Macros and variadic functions that Swift does not import. */
static inline sqlite3_destructor_type sea_sqlite_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type sea_sqlite_static(void) { return SQLITE_STATIC; }
static inline int sea_sqlite_defensive(sqlite3 *db) {
  int a = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  return a ? a : sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}
/* Bytes of SQLite's memory that this thread holds, and that it may still ask for. Of each object file that calls it there is one. */
struct sea_sqlite_bytes { long long held, left, most; int refused; };
static inline struct sea_sqlite_bytes *sea_sqlite_bytes(void) {
  static __thread struct sea_sqlite_bytes bytes = {0, LLONG_MAX, LLONG_MAX, 0};
  return &bytes;
}
/* What stands in double quotes is a name and never a text. */
static inline void sea_sqlite_strict_names(sqlite3 *db) {
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (int *)0);
}
/* A file of somebody else: nothing in it runs, no virtual table, no view, no trigger. */
static inline int sea_sqlite_foreign(sqlite3 *db) {
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  return sqlite3_drop_modules(db, 0);
}
/* SQLite keeps no count of its memory, which would take a lock for every piece of it. Before the first connection. */
static inline void sea_sqlite_start(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
/* Where SQLite's memory comes from. Before the first connection. */
static inline void sea_sqlite_get_memory(sqlite3_mem_methods *methods) { sqlite3_config(SQLITE_CONFIG_GETMALLOC, methods); }
static inline long long sea_sqlite_piece_size(void *piece) { return (long long)malloc_usable_size(piece); }
static inline void sea_sqlite_set_memory(const sqlite3_mem_methods *methods) { sqlite3_config(SQLITE_CONFIG_MALLOC, methods); }

/* The WAL-reset fault of SQLite before 3.51.3: nobody checkpoints without our writer lock. */
static inline int sea_sqlite_no_checkpoint_on_close(sqlite3 *db) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/* After every commit the length of the log is noted, and a long log is moved into the database, as SQLite would by
   itself: the committing process holds our writer lock then. */
static int sea_sqlite_committed(void *frames, sqlite3 *db, const char *name, int count) {
  *(int *)frames = count;
  if (count >= 1000) sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, 0, 0);
  return SQLITE_OK;
}
static inline void sea_sqlite_count_frames(sqlite3 *db, int *frames) {
  sqlite3_wal_hook(db, sea_sqlite_committed, frames);
}

/* Where a disk fails to give a page, SQLite says "malformed" or "read-only". The system's own number is cleared before SQLite is
   asked, and tells them apart. */
static inline void sea_sqlite_forget_errno(void) { errno = 0; }
static inline int sea_sqlite_disk_failed(void) { return errno == EIO; }
/* SQLite notes it itself, but not of a COMMIT that fails. */
static inline int sea_sqlite_errno(void) { return errno; }

/* What does not fit into memory goes into files of this folder, or of the system's if it is null. The old text may be in use: it is not
   freed. */
static inline void sea_sqlite_spill_into(const char *folder) {
  sqlite3_temp_directory = folder ? sqlite3_mprintf("%s", folder) : 0;
}
