import SeaCore

/// The tables. `chain`, `branch`, `block` and `piece` contain all stored blocks. `record`, `revision`, `waiting`,
/// `reference`, `asset` and `asset_record` are a projection of the blocks and can be rebuilt at any time. `announced`
/// contains what blocks state about other chains. `container` (the engine's `ContainerState`), `seen` and `quarantine`
/// describe the content of containers. `feed` and `feed_note` record the order in which changes took effect on this
/// instance.
///
/// Each branch of a chain is a row in `branch`; `fork` is empty for the main branch. `seen` and `quarantine` use the
/// container's branch names.
///
/// If an accepted purge order allows a purged block, the block is followed by `PurgedBlockData` in its pieces.
///
/// Every byte is stored once: a block is split into pieces of one page each, and a revision stores its offset in the
/// block. An encrypted block is stored in two forms: `piece` contains the plaintext, to which the offsets refer, and
/// `sealed` contains the form that other instances get. `block.unread` is the reason why a block could not be read
/// (`UnreadReason`).
///
/// `branch.earned` is the index of the last block with an earned clock or, if there is none, the index before the first
/// block. If `wrong` is set, the next block's clock does not follow from its references, so neither that block nor any
/// later block counts. `awaits` is the head that the next block is waiting for: instance, index and digest.
///
/// `block.sibling` is set for blocks of fork branches. Any number of such blocks can have the same index. `block.whole`
/// is the former size of a purged block, and 0 for any other block.
///
/// `set_back` contains the blocks that arrived at an earlier local time than a previous block, each with the latest
/// earlier time.
///
/// The columns of the primary key of a table without rowids are never null.
///
/// `revision_listed` contains the leaves of records with several leaves or with waiting revisions. For any other
/// record, the greatest revision is the only leaf.
enum Schema {
  static let applicationID = 0x5345_4131
  static let version = 17

  /// A row of `piece` with this size fills one page of 4096 bytes without an overflow page.
  static let pieceSize = 4032

  /// The key of piece 0 is `seq << 16`. The pieces of a compressed block start at this number, and the row before them
  /// is the index of its frames. Therefore, an uncompressed block needs no second lookup.
  static let framedPieces: Int64 = 0x8000
  static let frameIndex: Int64 = 0x7FFF

  /// `chain` contains the author data from block 0, and the greatest index of the chain that this instance's blocks
  /// have referred to. `control` contains the control entries that affect other blocks or instances, `slot` the key
  /// slots, and `request` the access requests. `property_index` lists the indexes. `asset_file` has one row for each
  /// asset file that existed on this instance when the row was written; later files have a greater `seq`.
  static let tables = """
    CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE chain(
      instance BLOB PRIMARY KEY, name TEXT NOT NULL, key BLOB NOT NULL, exchange BLOB NOT NULL,
      announced INTEGER NOT NULL DEFAULT -1) WITHOUT ROWID;
    CREATE TABLE branch(
      id INTEGER PRIMARY KEY, instance BLOB NOT NULL, fork BLOB NOT NULL, first INTEGER NOT NULL,
      previous BLOB NOT NULL, head INTEGER NOT NULL, digest BLOB NOT NULL, lamport INTEGER NOT NULL,
      time INTEGER NOT NULL, earned INTEGER NOT NULL, wrong INTEGER NOT NULL DEFAULT 0, awaits BLOB,
      UNIQUE(instance, fork));
    CREATE TABLE block(
      seq INTEGER PRIMARY KEY, branch INTEGER NOT NULL, idx INTEGER NOT NULL, lamport INTEGER NOT NULL,
      size INTEGER NOT NULL, digest BLOB NOT NULL, changes INTEGER NOT NULL, applied INTEGER NOT NULL, time INTEGER NOT NULL,
      arrived INTEGER NOT NULL, label TEXT, unread INTEGER, sibling INTEGER, whole INTEGER NOT NULL DEFAULT 0);
    CREATE UNIQUE INDEX block_place ON block(branch, idx);
    CREATE INDEX block_sibling ON block(digest) WHERE sibling = 1;
    CREATE INDEX block_apart ON block(branch, idx) WHERE applied <> 1;
    CREATE INDEX block_unread ON block(unread) WHERE unread IS NOT NULL;
    CREATE VIEW block_row AS
      SELECT b.seq, s.instance, s.fork, b.idx, b.lamport, b.size, b.digest, b.changes, b.applied, b.time, b.arrived, b.label,
        b.unread, s.earned >= b.idx AS earned, b.whole
      FROM branch s JOIN block b ON b.branch = s.id;
    CREATE TABLE piece(key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE sealed(key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE slot(digest BLOB PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE request(instance BLOB PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE announced(instance BLOB PRIMARY KEY, idx INTEGER NOT NULL, digest BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE container(name TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE seen(
      container TEXT, instance BLOB, fork BLOB, idx INTEGER NOT NULL, digest BLOB NOT NULL,
      PRIMARY KEY(container, instance, fork)) WITHOUT ROWID;
    CREATE TABLE quarantine(
      container TEXT, instance BLOB, fork BLOB, idx INTEGER NOT NULL, reason TEXT NOT NULL,
      since INTEGER NOT NULL, syncs INTEGER NOT NULL, bytes BLOB, PRIMARY KEY(container, instance, fork)) WITHOUT ROWID;
    CREATE TABLE asset_file(
      seq INTEGER PRIMARY KEY AUTOINCREMENT, instance BLOB NOT NULL, idx INTEGER NOT NULL, size INTEGER NOT NULL,
      digest BLOB NOT NULL, UNIQUE(instance, idx));
    CREATE TABLE control(
      seq INTEGER, item INTEGER, kind TEXT NOT NULL, lamport INTEGER NOT NULL, bytes BLOB NOT NULL,
      PRIMARY KEY(seq, item)) WITHOUT ROWID;
    CREATE INDEX control_kind ON control(kind, lamport);
    CREATE TABLE set_back(seq INTEGER PRIMARY KEY, time INTEGER NOT NULL);
    CREATE TABLE property_index(
      slot INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind INTEGER NOT NULL, definition TEXT NOT NULL);

    """ + feed

  static let feed = """
    CREATE TABLE feed(
      first INTEGER PRIMARY KEY, last INTEGER NOT NULL, block INTEGER, tag INTEGER NOT NULL);
    CREATE TABLE feed_note(
      position INTEGER PRIMARY KEY, id TEXT, type TEXT, old BLOB, new BLOB, state INTEGER NOT NULL);

    """

  /// `shape` contains the shapes (SeaCore) of the live records; `record.shape` is null for a deleted record. `repeated`
  /// contains the further blocks that contain a revision. `asset` contains the assets that revisions refer to, and
  /// `asset_record` the records that refer to assets.
  static let projection = """
    CREATE TABLE record(
      key INTEGER PRIMARY KEY, id TEXT NOT NULL, type TEXT, leaves INTEGER NOT NULL, live INTEGER NOT NULL,
      conflict INTEGER NOT NULL, refers INTEGER NOT NULL, shape INTEGER);
    CREATE UNIQUE INDEX record_id ON record(id);
    CREATE INDEX record_conflict ON record(id) WHERE conflict > 0;
    CREATE INDEX record_shape ON record(shape);
    CREATE TABLE shape(key INTEGER PRIMARY KEY, hash INTEGER NOT NULL, bytes BLOB NOT NULL);
    CREATE INDEX shape_hash ON shape(hash);
    CREATE TABLE revision(
      record INTEGER, depth INTEGER, digest BLOB, flags INTEGER NOT NULL, parent BLOB,
      block INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL,
      PRIMARY KEY(record, depth, digest)) WITHOUT ROWID;
    CREATE INDEX revision_listed ON revision(record, flags & 6, depth DESC, digest DESC) WHERE flags & 64;
    CREATE TABLE waiting(
      parent BLOB, record INTEGER, depth INTEGER, digest BLOB,
      PRIMARY KEY(parent, record, depth, digest)) WITHOUT ROWID;
    CREATE TABLE repeated(
      record INTEGER, depth INTEGER, digest BLOB, block INTEGER,
      PRIMARY KEY(record, depth, digest, block)) WITHOUT ROWID;
    CREATE TABLE reference(record INTEGER, target TEXT, PRIMARY KEY(record, target)) WITHOUT ROWID;
    CREATE INDEX reference_target ON reference(target);
    CREATE TABLE asset(
      key INTEGER PRIMARY KEY, instance BLOB NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
      size INTEGER NOT NULL, digest BLOB NOT NULL, mime TEXT NOT NULL, UNIQUE(instance, first, last, size, digest));
    CREATE INDEX asset_content ON asset(digest, size);
    CREATE TABLE asset_record(asset INTEGER, record INTEGER, PRIMARY KEY(asset, record)) WITHOUT ROWID;
    CREATE INDEX asset_record_record ON asset_record(record);
    CREATE TABLE index_entry(
      slot INTEGER, key BLOB, record INTEGER, PRIMARY KEY(slot, key, record)) WITHOUT ROWID;
    CREATE INDEX index_entry_record ON index_entry(record);

    """

  static let dropProjection = """
    DROP TABLE IF EXISTS record; DROP TABLE IF EXISTS revision; DROP TABLE IF EXISTS waiting;
    DROP TABLE IF EXISTS repeated; DROP TABLE IF EXISTS shape;
    DROP TABLE IF EXISTS reference; DROP TABLE IF EXISTS asset; DROP TABLE IF EXISTS asset_record;
    DROP TABLE IF EXISTS index_entry;
    """
}

struct RevisionFlags: OptionSet {
  let rawValue: Int
  static let leaf = RevisionFlags(rawValue: 1)
  static let dead = RevisionFlags(rawValue: 2)
  static let resolved = RevisionFlags(rawValue: 4)
  /// All ancestors of the revision are present.
  static let attached = RevisionFlags(rawValue: 8)
  /// The revision is known only from the data that follows a purged block, and has no body.
  static let ordered = RevisionFlags(rawValue: 16)
  /// The revision was also in a purged block, which is listed in `repeated` and may be the revision's first block.
  static let wasPurged = RevisionFlags(rawValue: 32)
  /// The leaf is in the index `revision_listed`.
  static let listed = RevisionFlags(rawValue: 64)
  static let listedLeaf: RevisionFlags = [.leaf, .attached, .listed]

  init(rawValue: Int) { self.rawValue = rawValue }

  /// Creates the flags that are determined by the change alone.
  init(_ change: Change) {
    self = change.kind == .put ? [] : change.kind == .resolved ? [.dead, .resolved] : .dead
    if change.isOrdered { insert(.ordered) }
  }

  var kind: RevisionKind { contains(.resolved) ? .resolved : contains(.dead) ? .delete : .put }
}

extension Statement {
  /// Binds a branch. The main branch is stored as an empty blob.
  @discardableResult func bind(_ index: Int32, fork: ForkID?) -> Statement { bind(index, copy: fork?.bytes ?? []) }

  func fork(_ column: Int32) throws(StoreError) -> ForkID? {
    let bytes = bytes(column)
    if bytes.isEmpty { return nil }
    guard bytes.count == ForkID.size else { throw .damaged("branch") }
    return ForkID(bytes.baseAddress!)
  }
}
