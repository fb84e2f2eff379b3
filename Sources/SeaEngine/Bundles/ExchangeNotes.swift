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
    package var time: Int64
  }

  static let name = "exchanges"
  /// Those used last.
  static let most = 1000
  private static let largest = 1 << 20

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

  /// - Parameter own: nil leaves what was known.
  package func note(_ place: String, own: UInt32?) {
    var notes = all()
    let old = notes.first { $0.path == place }
    notes.removeAll { $0.path == place }
    notes.insert(Note(path: place, own: own ?? old?.own, time: folder.settings.clock()), at: 0)
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
    self.init(path: path, own: own, time: time)
  }

  fileprivate var line: String {
    var members = Members()
    members["path"] = .string(path)
    members["time"] = .integer(time)
    if let own { members["own"] = .integer(Int64(own)) }
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

  /// Remembers that a folder was used; if it was written to, nothing of ours is lacking there.
  package func note(_ place: String, isWritten: Bool) throws {
    guard let place = name(of: place) else { return }
    notes.note(place, own: isWritten ? try store.branches.chain(folder.instance)?.head.index : nil)
  }

  /// Those that were used last, and not long ago.
  /// - Parameter probe: looks at each; else only what is remembered is told.
  package func statuses(probe: Bool) throws -> [ExchangeStatus] {
    let head = try store.branches.chain(folder.instance).map { Int($0.head.index) } ?? -1
    let since = folder.settings.clock() - Exchanges.told.age
    return try notes.all().prefix(Exchanges.told.most).filter { $0.time >= since }.map { note in
      let remembered = max(0, head - (note.own.map { Int($0) } ?? -1))
      var status = ExchangeStatus(path: note.path, time: note.time, toExport: remembered)
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
      let place = try ExchangeFolder(status.path)
      var held: [SurveyedBundle] = []
      var new = 0
      for bundle in try place.bundles() {
        guard let reader = try? BundleReader(.file(path: bundle.path), temporary: folder.path),
          let manifest = try? reader.manifest(), manifest.database == folder.databaseID
        else { continue }
        let surveyed = try SurveyedBundle(bundle, reader)
        held.append(surveyed)
        if try !bundles.lacking(surveyed.manifest.heads.filter { surveyed.branches.contains($0.branch) }).isEmpty {
          new += 1
        }
      }
      (status.state, status.new) = (.ok, new)
      let frontier = try bundles.frontier(of: held, heads: place.heads(of: folder.databaseID, except: folder.instance))
      status.toExport = Int(clamping: try bundles.plan(behind: frontier, assets: .none).manifest.blocks)
    } catch is SystemError {
      status.state = .failed
    } catch is BundleError {
      status.state = .failed
    }
  }
}

extension Bundles {
  package var exchanges: Exchanges { Exchanges(bundles: self) }
}
