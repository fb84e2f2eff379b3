#pragma once
#include <sqlite3.h>

/* Macros and variadic functions that Swift does not import. */
static inline sqlite3_destructor_type sea_sqlite_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type sea_sqlite_static(void) { return SQLITE_STATIC; }
static inline int sea_sqlite_defensive(sqlite3 *db) {
  int a = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  return a ? a : sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}
/* The WAL-reset fault of SQLite before 3.51.3: nobody checkpoints without our writer lock. */
static inline int sea_sqlite_no_checkpoint_on_close(sqlite3 *db) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
