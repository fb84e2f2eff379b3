import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Remembers which exchange folders this instance has used, in a file in `.sea`. `status` lists these folders, and an
/// export checks that they still exist. Write errors are ignored.
package struct ExchangeNotes {
  package struct Note: Equatable, Sendable {
    /// An absolute path, or a remote location.
    package var path: String
    /// The index of this instance's last block at the time of the last export; nil if the instance had no blocks.
    package var own: UInt32?
    /// The number of asset files that the last export left out.
    package var assets = 0
    package var time: Int64
  }

  static let name = "exchanges"
  static let most = 1000
  private static let largest = 8 << 20

  private let folder: SeaFolder
  private var path: String { Path.join(folder.path, ExchangeNotes.name) }

  init(_ folder: SeaFolder) { self.folder = folder }

  /// Returns the notes, latest first. Ignores invalid notes.
  package func all() -> [Note] {
    guard let file = try? File(path), let bytes = try? file.readAll(limit: ExchangeNotes.largest),
      let text = String(validating: bytes, as: UTF8.self)
    else { return [] }
    return text.split(separator: "\n").compactMap { Note(String($0)) }
  }

  func update(_ place: String, _ change: (inout Note) -> Void) {
    var notes = all()
    var note = notes.first { $0.path == place } ?? Note(path: place, time: 0)
    notes.removeAll { $0.path == place }
    note.time = folder.settings.clock()
    change(&note)
    notes.insert(note, at: 0)
    let text = notes.prefix(ExchangeNotes.most).map(\.line).joined()
    write(Array(text.utf8))
  }

  /// Does not wait for the disk, because it does no harm if a power failure destroys the notes.
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

package struct ExchangeStatus: Sendable {
  package enum State: String, Sendable {
    case known
    case ok
    case unavailable
    case failed
  }
  package var path: String
  package var state = State.known
  package var time: Int64
  /// The number of blocks missing from the folder. If the folder was not checked, counts only this instance's blocks.
  package var toExport: Int
  package var assetsToExport: Int
  /// The number of bundles with new content; nil if the folder was not checked.
  package var new: Int?
}

package struct Exchanges {
  let bundles: Bundles
  private var folder: SeaFolder { bundles.folder }
  private var store: Store { bundles.store }
  private var notes: ExchangeNotes { ExchangeNotes(folder) }

  /// The maximum number of folders to list, and how long ago their last use may have been, in milliseconds.
  private static let listingLimit = (most: 10, age: Int64(60 * 86_400_000))

  private func name(of place: String) -> String? { HelperPlace(place) == nil ? try? Path.absolute(place) : place }

  /// - Parameter place: a path, or a remote location.
  func remembers(_ place: String) -> Bool {
    let name = name(of: place)
    return notes.all().contains { $0.path == name }
  }

  /// Remembers that a folder was used. After an export, the folder contains all blocks of this instance.
  package func remember(_ place: String, writing plan: ExportPlan? = nil) throws {
    guard let place = name(of: place) else { return }
    let own = try store.branches.chain(folder.instance)?.head.index
    notes.update(place) { note in
      guard let plan else { return }
      note.own = own ?? note.own
      note.assets = plan.leftOut.count
    }
  }

  /// - Parameter probe: whether to check local folders; if false, only the notes are used.
  package func statuses(probe: Bool) throws -> [ExchangeStatus] {
    let head = try store.branches.chain(folder.instance).map { Int($0.head.index) } ?? -1
    let since = folder.settings.clock() - Exchanges.listingLimit.age
    return try notes.all().prefix(Exchanges.listingLimit.most).filter { $0.time >= since }.map { note in
      let remembered = max(0, head - (note.own.map { Int($0) } ?? -1))
      var status = ExchangeStatus(
        path: note.path, time: note.time, toExport: remembered, assetsToExport: note.assets)
      if probe, HelperPlace(note.path) == nil { try survey(&status) }
      return status
    }
  }

  /// Checks only the manifests of the bundles in a folder. Imports and exports verify the content itself.
  private func survey(_ status: inout ExchangeStatus) throws {
    guard let kind = try? Path.statusFollowing(status.path)?.kind, kind == .directory else {
      status.state = .unavailable
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
  fileprivate func isNew(_ bundle: SurveyedBundle) throws -> Bool {
    let brought = bundle.manifest.heads.filter { bundle.branches.contains($0.branch) }
    return try !lacking(brought).isEmpty || brought.isEmpty && bundle.assets.keys.contains { try !isNoted($0) }
  }

  package var exchanges: Exchanges { Exchanges(bundles: self) }
}
