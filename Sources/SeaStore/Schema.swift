/// The tables. `meta`, `chain`, `block` and `piece` hold what arrived and was written; `record`, `revision`, `waiting`,
/// `reference` are a projection of them and can be built anew at any time; `told` is what blocks say of
/// other chains; `container`, `seen` and `quarantine` say what other places hold.
///
/// `chain` has the trunk of every instance, `branch` what left a trunk or another branch: a block's `chain` is the id of
/// either, those of branches being negative. The folder of a sibling branch in a container has the name
/// `CONTAINER~DIGITS` in `seen` and `quarantine`.
///
/// Every byte is stored once: a block lies in pieces that fill one page each, and a revision says where in its block it
/// stands. Of a block that came sealed there are two forms: `piece` has the clear one, which revisions point into, and
/// `sealed` the one that others get.
enum Schema {
  static let applicationID = 0x5345_4131
  /// Version 1 had nothing of `added`, version 2 nothing of `assets` and `stored`.
  static let version = 3

  /// A row of `piece` with so many bytes fills one page of 4096 without an overflow page.
  static let pieceSize = 4032

  static let tables = """
    CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE chain(
      id INTEGER PRIMARY KEY, instance BLOB NOT NULL UNIQUE, name TEXT NOT NULL, key BLOB NOT NULL,
      exchange BLOB NOT NULL, head INTEGER NOT NULL, digest BLOB NOT NULL, lamport INTEGER NOT NULL,
      announced INTEGER NOT NULL DEFAULT -1, time INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE block(
      seq INTEGER PRIMARY KEY, chain INTEGER NOT NULL, idx INTEGER NOT NULL, lamport INTEGER NOT NULL,
      size INTEGER NOT NULL, digest BLOB NOT NULL, changes INTEGER NOT NULL, applied INTEGER NOT NULL, time INTEGER NOT NULL,
      arrived INTEGER NOT NULL, label TEXT);
    CREATE UNIQUE INDEX block_place ON block(chain, idx);
    CREATE INDEX block_order ON block(lamport);
    CREATE TABLE piece(key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE told(instance BLOB PRIMARY KEY, idx INTEGER NOT NULL, digest BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE container(
      name TEXT PRIMARY KEY, id BLOB NOT NULL, last INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
    CREATE TABLE seen(
      container TEXT NOT NULL, instance BLOB NOT NULL, idx INTEGER NOT NULL, digest BLOB NOT NULL,
      PRIMARY KEY(container, instance)) WITHOUT ROWID;
    CREATE TABLE quarantine(
      container TEXT NOT NULL, instance BLOB NOT NULL, idx INTEGER NOT NULL, reason TEXT NOT NULL,
      since INTEGER NOT NULL, syncs INTEGER NOT NULL, bytes BLOB, PRIMARY KEY(container, instance)) WITHOUT ROWID;
    """ + added + stored(added: "TABLE")

  /// What version 1 did not have. `control` has the control entries that decide about others, `slot` the files that wrap
  /// epoch keys, `request` those of instances that want to be let in.
  static let added =
    tables(added: "TABLE") + "CREATE INDEX IF NOT EXISTS control_kind ON control(kind);"
    + "CREATE INDEX IF NOT EXISTS block_apart ON block(chain, idx) WHERE applied <> 1;"
  /// For a reader of version 1.
  static let absent = tables(added: "TEMP TABLE")
  static let dropAdded = """
    DROP TABLE branch; DROP TABLE sealed; DROP TABLE control; DROP TABLE slot; DROP TABLE request; DROP INDEX block_apart;
    """

  private static func tables(added kind: String) -> String {
    """
    CREATE \(kind) IF NOT EXISTS branch(
      id INTEGER PRIMARY KEY, instance BLOB NOT NULL, fork INTEGER NOT NULL, first INTEGER NOT NULL,
      previous BLOB NOT NULL, head INTEGER NOT NULL, digest BLOB NOT NULL, lamport INTEGER NOT NULL,
      UNIQUE(instance, fork));
    CREATE \(kind) IF NOT EXISTS sealed(key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE \(kind) IF NOT EXISTS control(
      seq INTEGER NOT NULL, item INTEGER NOT NULL, kind TEXT NOT NULL, bytes BLOB NOT NULL,
      PRIMARY KEY(seq, item)) WITHOUT ROWID;
    CREATE \(kind) IF NOT EXISTS slot(digest BLOB PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID;
    CREATE \(kind) IF NOT EXISTS request(instance BLOB PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID;

    """
  }

  /// `stored` has one row for each file of assets that was here when it was written; a later one has a greater `seq`.
  /// `handed` says up to which `seq` a container was given what the rule lets it have.
  static func stored(added kind: String) -> String {
    """
    CREATE \(kind) IF NOT EXISTS stored(
      seq INTEGER PRIMARY KEY AUTOINCREMENT, instance BLOB NOT NULL, idx INTEGER NOT NULL, size INTEGER NOT NULL,
      digest BLOB NOT NULL, UNIQUE(instance, idx));
    CREATE \(kind) IF NOT EXISTS handed(
      container TEXT PRIMARY KEY, rule TEXT NOT NULL, seq INTEGER NOT NULL) WITHOUT ROWID;

    """
  }

  /// `asset` has what any revision names; `holder` the records that do.
  static func assets(_ kind: String) -> String {
    """
    CREATE \(kind) asset(
      key INTEGER PRIMARY KEY, instance BLOB NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
      size INTEGER NOT NULL, digest BLOB NOT NULL, mime TEXT NOT NULL, UNIQUE(instance, first, last, size, digest));
    CREATE INDEX \(kind == "TABLE" ? "" : "temp.")asset_content ON asset(digest, size);
    CREATE \(kind) holder(asset INTEGER NOT NULL, record INTEGER NOT NULL, PRIMARY KEY(asset, record)) WITHOUT ROWID;
    CREATE INDEX \(kind == "TABLE" ? "" : "temp.")holder_record ON holder(record);

    """
  }
  static let dropAssets = "DROP TABLE asset; DROP TABLE holder; DROP TABLE stored; DROP TABLE handed;"

  static let projection =
    assets("TABLE") + """
      CREATE TABLE record(
        key INTEGER PRIMARY KEY, id TEXT NOT NULL, type TEXT, leaves INTEGER NOT NULL, live INTEGER NOT NULL,
        conflict INTEGER NOT NULL, refers INTEGER NOT NULL);
      CREATE UNIQUE INDEX record_id ON record(id);
      CREATE INDEX record_conflict ON record(id) WHERE conflict > 0;
      CREATE TABLE revision(
        record INTEGER NOT NULL, depth INTEGER NOT NULL, digest BLOB NOT NULL, flags INTEGER NOT NULL, parent BLOB,
        block INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL,
        PRIMARY KEY(record, depth, digest)) WITHOUT ROWID;
      CREATE TABLE waiting(
        parent BLOB NOT NULL, record INTEGER NOT NULL, depth INTEGER NOT NULL, digest BLOB NOT NULL,
        PRIMARY KEY(parent, record, depth, digest)) WITHOUT ROWID;
      CREATE TABLE reference(record INTEGER NOT NULL, target TEXT NOT NULL, PRIMARY KEY(record, target)) WITHOUT ROWID;
      CREATE INDEX reference_target ON reference(target);
      """

  static let dropProjection = """
    DROP TABLE IF EXISTS record; DROP TABLE IF EXISTS revision; DROP TABLE IF EXISTS waiting;
    DROP TABLE IF EXISTS reference; DROP TABLE IF EXISTS asset; DROP TABLE IF EXISTS holder;
    """
}

/// The bits of `revision.flags`.
struct RevisionFlags: OptionSet {
  let rawValue: Int
  static let leaf = RevisionFlags(rawValue: 1)
  /// Kind `delete` or `resolved`.
  static let dead = RevisionFlags(rawValue: 2)
  static let resolved = RevisionFlags(rawValue: 4)
  /// All ancestors are known.
  static let attached = RevisionFlags(rawValue: 8)
}
