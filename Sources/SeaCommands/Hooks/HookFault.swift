import SeaEngine
import SeaSystem

/// A file in the hooks folder that never runs, and the reason.
struct HookFault {
  enum Reason: String {
    case unknown
    case notExecutable = "not-executable"
    /// A symbolic link whose target does not exist.
    case dangling
    case foreign
    /// The hooks folder is not a folder.
    case noFolder = "no-folder"
  }

  let name: String
  let path: String
  let reason: Reason

  var words: String {
    switch reason {
    case .unknown: "hook \(name) will not run: \(why); see sea-hooks(5)"
    case .notExecutable: "hook \(name) will not run: \(why)" + (remedy.map { "; to fix this, run: \($0)" } ?? "")
    case .dangling where name == Location.hooksName: "no hooks will run: '\(name)' is \(HookFault.deadLink)"
    case .dangling: "hook \(name) cannot run: \(why)"
    case .foreign: "hook \(name) will not run: \(why)"
    case .noFolder: "no hooks will run: '\(name)' is not a folder"
    }
  }

  private static let deadLink = "a broken link"

  var why: String {
    switch reason {
    case .unknown: "no event has that name"
    case .notExecutable: "it is not an executable file"
    case .dangling: "it is \(HookFault.deadLink)"
    case .foreign: "it belongs to another user"
    case .noFolder: "it is not a folder"
    }
  }

  /// The command that makes a hook file executable; nil if that is not the problem.
  var remedy: String? {
    let isFile = (try? Path.statusFollowing(path))?.kind == .file
    return reason == .notExecutable && isFile ? "chmod +x \(Escape.shell(path))" : nil
  }

  var item: Item { Item(event: "hook", ["name": .text(name), "path": .text(path), "reason": .text(reason.rawValue)]) }
}

extension Hooks {
  static func folderFault(_ database: Database) throws -> HookFault? {
    let path = Path.join(try database.folder.absolutePath(), Location.hooksName)
    guard ((try? Path.status(path)) ?? nil) != nil else { return nil }
    let kind = ((try? Path.statusFollowing(path)) ?? nil)?.kind
    if kind == .directory { return nil }
    return HookFault(name: Location.hooksName, path: path, reason: kind == nil ? .dangling : .noFolder)
  }

  var count: Int {
    let names = entries("")
    return names.reduce(0) { $0 + ($1.hasSuffix(".d") ? entries($1).count : 1) }
  }

  func faults() -> [HookFault] {
    var faults: [HookFault] = []
    let known = HookEvent.allCases.map(\.rawValue)
    for name in entries("") {
      if known.contains(name) {
        faults += [fault(name)].compactMap { $0 }
      } else if name.hasSuffix(".d"), known.contains(String(name.dropLast(2))) {
        faults += entries(name).compactMap { fault(Path.join(name, $0)) }
      } else {
        faults.append(HookFault(name: name, path: path(name), reason: .unknown))
      }
    }
    return faults
  }

  /// Returns the reason why a file with the name of a hook does not run; nil if the hook runs.
  func fault(_ name: String) -> HookFault? {
    let path = path(name)
    let reason: HookFault.Reason
    if ((try? Path.statusFollowing(path)) ?? nil) == nil {
      reason = .dangling
    } else if !isExecutable(name) {
      reason = .notExecutable
    } else if foreignOwner(path) != nil {
      reason = .foreign
    } else {
      return nil
    }
    return HookFault(name: name, path: path, reason: reason)
  }
}
