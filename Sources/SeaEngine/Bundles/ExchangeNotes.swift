import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// The exchange folders that this instance has used, for `status`, and so that an export knows which ones have to be there: a file in `.sea`.
/// Where it cannot be written, nothing is remembered.
package struct ExchangeNotes {
  package struct Note: Equatable, Sendable {
    /// From the root.
    package var path: String
    /// The last block of our own that was in it when it was used last, or needed not be; nil if none was.
    package var own: UInt32?
    /// Files of assets that were left out when it was used last.
    package var assets = 0
    package var time: Int64
  }

  static let name = "exchanges"
  /// Those used last.
  static let most = 1000
  private static let largest = 8 << 20

  private let folder: SeaFolder
  private var path: String { Path.join(folder.path, ExchangeNotes.name) }

  init(_ folder: SeaFolder) { self.folder = folder }

  /// The one that was used last comes first. What cannot be read is none.
  package func all() -> [Note] {
    guard let file = try? File(path), let bytes = try? file.readAll(limit: ExchangeNotes.largest),
      let text = String(validating: bytes, as: UTF8.self)
    else { return [] }
    return text.split(separator: "\n").compactMap { Note(String($0)) }
  }

  /// - Parameter change: what is new about it.
  func note(_ place: String, _ change: (inout Note) -> Void) {
    var notes = all()
    var note = notes.first { $0.path == place } ?? Note(path: place, time: 0)
    notes.removeAll { $0.path == place }
    note.time = folder.settings.clock()
    change(&note)
    notes.insert(note, at: 0)
    let text = notes.prefix(ExchangeNotes.most).map(\.line).joined()
    write(Array(text.utf8))
  }

  /// It need not survive a loss of power, so nothing waits for the disk. What somebody who was stopped has left is taken away.
  private func write(_ bytes: [UInt8]) {
    guard let inner = try? Directory(folder.path),
      let file = try? AtomicFile(ExchangeNotes.name, in: inner, temporary: ".\(ExchangeNotes.name).sea-tmp")
    else { return }
    do throws(SystemError) {
      try file.write(bytes)
      try file.commitUnsynchronized()
    } catch {
      file.discard()
    }
  }
}

extension ExchangeNotes.Note {
  init?(_ line: String) {
    guard let members = try? Value.json(line).members, case .string(let path)? = members["path"],
      case .integer(let time)? = members["time"]
    else { return nil }
    var own: UInt32?
    if case .integer(let index)? = members["own"] { own = UInt32(exactly: index) }
    var assets = 0
    if case .integer(let count)? = members["assets"] { assets = Int(clamping: count) }
    self.init(path: path, own: own, assets: assets, time: time)
  }

  fileprivate var line: String {
    var members = Members()
    members["path"] = .string(path)
    members["time"] = .integer(time)
    if let own { members["own"] = .integer(Int64(own)) }
    if assets > 0 { members["assets"] = .integer(Int64(assets)) }
    return (try? Value.dictionary(members).json()).map { $0 + "\n" } ?? ""
  }
}

/// How things stand with an exchange folder.
package struct ExchangeStatus: Sendable {
  package enum State: String, Sendable {
    /// Nobody has looked.
    case known
    case ok
    /// It is not there.
    case away
    /// It cannot be read.
    case failed
  }
  package var path: String
  package var state = State.known
  /// When it was used last from here.
  package var time: Int64
  /// Blocks that are not there yet: of our own, as far as it is remembered; of all, if somebody has looked.
  package var toExport: Int
  /// Files of assets that were left out there.
  package var assetsToExport: Int
  /// Bundles with blocks that are not here; nil if nobody has looked.
  package var new: Int?
}

/// The exchange folders that are known, and how things stand with them.
package struct Exchanges {
  let bundles: Bundles
  private var folder: SeaFolder { bundles.folder }
  private var store: Store { bundles.store }
  private var notes: ExchangeNotes { ExchangeNotes(folder) }

  /// So many are told of, if they were used within so many milliseconds.
  private static let told = (most: 10, age: Int64(60 * 86_400_000))

  private func name(of place: String) -> String? { HelperPlace(place) == nil ? try? Path.absolute(place) : place }

  /// Whether a folder was used before.
  /// - Parameter place: a path, or a location elsewhere.
  func remembers(_ place: String) -> Bool {
    let name = name(of: place)
    return notes.all().contains { $0.path == name }
  }

  /// Remembers that a folder was used; if it was written to, no block of ours is lacking there.
  package func note(_ place: String, writing plan: ExportPlan? = nil) throws {
    guard let place = name(of: place) else { return }
    let own = try store.branches.chain(folder.instance)?.head.index
    notes.note(place) { note in
      guard let plan else { return }
      note.own = own ?? note.own
      note.assets = plan.leftOut.count
    }
  }

  /// Those that were used last, and not long ago.
  /// - Parameter probe: looks at each; else only what is remembered is told.
  package func statuses(probe: Bool) throws -> [ExchangeStatus] {
    let head = try store.branches.chain(folder.instance).map { Int($0.head.index) } ?? -1
    let since = folder.settings.clock() - Exchanges.told.age
    return try notes.all().prefix(Exchanges.told.most).filter { $0.time >= since }.map { note in
      let remembered = max(0, head - (note.own.map { Int($0) } ?? -1))
      var status = ExchangeStatus(
        path: note.path, time: note.time, toExport: remembered, assetsToExport: note.assets)
      if probe, HelperPlace(note.path) == nil { try look(&status) }
      return status
    }
  }

  /// By what its bundles say of themselves: whether they are whole is for an import and an export to see.
  private func look(_ status: inout ExchangeStatus) throws {
    guard let kind = try? Path.statusFollowing(status.path)?.kind, kind == .directory else {
      status.state = .away
      return
    }
    do {
      let survey = try bundles.survey(BundleDirectory(status.path)) { _, _ in false }
      (status.state, status.new) = (.ok, try survey.bundles.filter { try bundles.isNew($0) }.count)
      let plan = try survey.plan(for: bundles, from: nil, assets: .none, backup: false)
      (status.toExport, status.assetsToExport) = (Int(clamping: plan.manifest.blocks), plan.leftOut.count)
    } catch is SystemError {
      status.state = .failed
    } catch is ContainerError {
      status.state = .failed
    }
  }
}

extension Bundles {
  /// Whether a bundle has something that is not here.
  fileprivate func isNew(_ bundle: SurveyedBundle) throws -> Bool {
    let brought = bundle.manifest.heads.filter { bundle.branches.contains($0.branch) }
    return try !lacking(brought).isEmpty || brought.isEmpty && bundle.assets.keys.contains { try !isNoted($0) }
  }

  package var exchanges: Exchanges { Exchanges(bundles: self) }
}
