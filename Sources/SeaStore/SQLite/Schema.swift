import SeaCore

/// The tables. `chain`, `branch`, `block` and `piece` hold what arrived and was written; `record`, `revision`, `waiting`,
/// `reference`, `asset` and `asset_record` are a projection of them and can be built anew at any time; `announced` is what
/// blocks say of other chains; `container` (a `ContainerState` of the engine), `seen` and `quarantine` say what other places hold; `feed` and
/// `feed_note` say in which order things came to count here.
///
/// A chain has a trunk and any number of sibling branches; all of them are rows of `branch`, the trunk with an empty `fork`.
/// In `seen` and `quarantine` a branch has the name that it has in that container.
///
/// A removed block that an order allows which counts has `Remains` behind it in its pieces.
///
/// Every byte is stored once: a block lies in pieces that fill one page each, and a revision says where in its block it
/// stands. Of a block that came sealed there are two forms: `piece` has the clear one, which revisions point into, and
/// `sealed` the one that others get. `block.unread` says why nothing of a block was read (`UnreadReason`).
///
/// `branch.earned` is the last block of a branch whose clock is earned, the one before its first if none is. If `wrong` is set the
/// one behind it has a clock that does not follow from what it names, and nothing from there on counts. `awaits` is the head
/// that the one behind it waits for: instance, index and digest.
///
/// `block.sibling` is set of the blocks of sibling branches: there may be as many at one index as somebody likes. `block.whole`
/// is the size that a removed block had, and 0 of any other.
///
/// `set_back` has the first block that came at an earlier time than one before it, by the clock here, and the latest time before.
///
/// In `revision_listed` are the leaves of records that have several, or that anything waits in. Of any other record the
/// only leaf is its greatest revision.
enum Schema {
  static let applicationID = 0x5345_4131
  static let version = 16

  /// A row of `piece` with so many bytes fills one page of 4096 without an overflow page.
  static let pieceSize = 4032

  /// The piece 0 of a block has the key `seq << 16`. A compressed block has its pieces from here on, and before them the row that says where
  /// its frames are: so a read of a block that is not compressed costs no second look.
  static let framedPieces: Int64 = 0x8000
  static let frameIndex: Int64 = 0x7FFF

  /// `chain` has what block 0 says of its author, and up to which index a block of our own has named it. `control` has
  /// the control entries that decide about others, `slot` the files that wrap epoch keys, `request` those of instances
  /// that want to be let in. `property_index` says which indexes there are; what they say is in the projection.
  /// `asset_file` has one row for each file of assets that was here when it was written; a later one has a greater `seq`.
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
    CREATE INDEX block_order ON block(lamport);
    CREATE INDEX block_sibling ON block(digest) WHERE sibling = 1;
    CREATE INDEX block_apart ON block(branch, idx) WHERE applied <> 1;
    CREATE INDEX block_future ON block(unread) WHERE unread = 1;
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
      container TEXT NOT NULL, instance BLOB NOT NULL, fork BLOB NOT NULL, idx INTEGER NOT NULL, digest BLOB NOT NULL,
      PRIMARY KEY(container, instance, fork)) WITHOUT ROWID;
    CREATE TABLE quarantine(
      container TEXT NOT NULL, instance BLOB NOT NULL, fork BLOB NOT NULL, idx INTEGER NOT NULL, reason TEXT NOT NULL,
      since INTEGER NOT NULL, syncs INTEGER NOT NULL, bytes BLOB, PRIMARY KEY(container, instance, fork)) WITHOUT ROWID;
    CREATE TABLE asset_file(
      seq INTEGER PRIMARY KEY AUTOINCREMENT, instance BLOB NOT NULL, idx INTEGER NOT NULL, size INTEGER NOT NULL,
      digest BLOB NOT NULL, UNIQUE(instance, idx));
    CREATE TABLE control(
      seq INTEGER NOT NULL, item INTEGER NOT NULL, kind TEXT NOT NULL, lamport INTEGER NOT NULL, bytes BLOB NOT NULL,
      PRIMARY KEY(seq, item)) WITHOUT ROWID;
    CREATE INDEX control_kind ON control(kind, lamport);
    CREATE TABLE set_back(seq INTEGER PRIMARY KEY, time INTEGER NOT NULL);
    CREATE TABLE property_index(
      slot INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind INTEGER NOT NULL, definition TEXT NOT NULL);

    """ + feed

  /// What changed here, and when it did: `FeedTable`.
  static let feed = """
    CREATE TABLE feed(
      first INTEGER PRIMARY KEY, last INTEGER NOT NULL, block INTEGER, tag INTEGER NOT NULL);
    CREATE TABLE feed_note(
      position INTEGER PRIMARY KEY, id TEXT, type TEXT, old BLOB, new BLOB, state INTEGER NOT NULL);

    """

  /// `shape` has the shapes (SeaCore) of the live records, `record.shape` is that of the winner, and null of a record that is deleted;
  /// `repeated` has the other blocks of a revision that stands in several; `asset` has what any revision names; `asset_record` the records that do.
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
      record INTEGER NOT NULL, depth INTEGER NOT NULL, digest BLOB NOT NULL, flags INTEGER NOT NULL, parent BLOB,
      block INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL,
      PRIMARY KEY(record, depth, digest)) WITHOUT ROWID;
    CREATE INDEX revision_listed ON revision(record, flags & 6, depth DESC, digest DESC) WHERE flags & 64;
    CREATE TABLE waiting(
      parent BLOB NOT NULL, record INTEGER NOT NULL, depth INTEGER NOT NULL, digest BLOB NOT NULL,
      PRIMARY KEY(parent, record, depth, digest)) WITHOUT ROWID;
    CREATE TABLE repeated(
      record INTEGER NOT NULL, depth INTEGER NOT NULL, digest BLOB NOT NULL, block INTEGER NOT NULL,
      PRIMARY KEY(record, depth, digest, block)) WITHOUT ROWID;
    CREATE TABLE reference(record INTEGER NOT NULL, target TEXT NOT NULL, PRIMARY KEY(record, target)) WITHOUT ROWID;
    CREATE INDEX reference_target ON reference(target);
    CREATE TABLE asset(
      key INTEGER PRIMARY KEY, instance BLOB NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
      size INTEGER NOT NULL, digest BLOB NOT NULL, mime TEXT NOT NULL, UNIQUE(instance, first, last, size, digest));
    CREATE INDEX asset_content ON asset(digest, size);
    CREATE TABLE asset_record(asset INTEGER NOT NULL, record INTEGER NOT NULL, PRIMARY KEY(asset, record)) WITHOUT ROWID;
    CREATE INDEX asset_record_record ON asset_record(record);
    CREATE TABLE index_entry(
      slot INTEGER NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL, PRIMARY KEY(slot, key, record)) WITHOUT ROWID;
    CREATE INDEX index_entry_record ON index_entry(record);

    """

  static let dropProjection = """
    DROP TABLE IF EXISTS record; DROP TABLE IF EXISTS revision; DROP TABLE IF EXISTS waiting;
    DROP TABLE IF EXISTS repeated; DROP TABLE IF EXISTS shape;
    DROP TABLE IF EXISTS reference; DROP TABLE IF EXISTS asset; DROP TABLE IF EXISTS asset_record;
    DROP TABLE IF EXISTS index_entry;
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
  /// What is known of it stands behind a removed block, without a body.
  static let ordered = RevisionFlags(rawValue: 16)
  /// A removed block had it as well, which is in `repeated`; it may be the first one.
  static let wasPurged = RevisionFlags(rawValue: 32)
  /// A leaf that is in the index.
  static let listed = RevisionFlags(rawValue: 64)
  static let listedLeaf: RevisionFlags = [.leaf, .attached, .listed]

  init(rawValue: Int) { self.rawValue = rawValue }

  /// What a change says of itself.
  init(_ change: Change) {
    self = change.kind == .put ? [] : change.kind == .resolved ? [.dead, .resolved] : .dead
    if change.isOrdered { insert(.ordered) }
  }

  var kind: RevisionKind { contains(.resolved) ? .resolved : contains(.dead) ? .delete : .put }
}

extension Statement {
  /// A branch in its column: nothing stands for the trunk.
  @discardableResult func bind(_ index: Int32, fork: ForkID?) -> Statement { bind(index, copy: fork?.bytes ?? []) }

  func fork(_ column: Int32) throws(StoreError) -> ForkID? {
    let bytes = bytes(column)
    if bytes.isEmpty { return nil }
    guard bytes.count == ForkID.size else { throw .damaged("branch") }
    return ForkID(bytes.baseAddress!)
  }
}
