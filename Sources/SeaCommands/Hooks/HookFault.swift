import SeaKit
import SeaSystem

/// A file among the hooks that is never run, and why.
struct HookFault {
  enum Reason: String {
    case unknown
    case notExecutable = "not-executable"
    case foreign
  }

  /// From the folder of all hooks.
  let name: String
  let path: String
  let reason: Reason

  var words: String {
    switch reason {
    case .unknown: "hook \(name) is never run: no event has that name: sea-hooks(5)"
    case .notExecutable: "hook \(name) is never run: it is no executable file: chmod +x \(Escape.shell(path))"
    case .foreign: "hook \(name) is never run: it belongs to another user"
    }
  }

  var item: Item { Item(event: "hook", ["name": .text(name), "path": .text(path), "reason": .text(reason.rawValue)]) }
}

extension Hooks {
  /// What lies among the hooks and is never run, each once.
  func faults() -> [HookFault] {
    var faults: [HookFault] = []
    let known = HookEvent.allCases.map(\.rawValue)
    for name in entries("") {
      if known.contains(name) {
        check(name, &faults)
      } else if name.hasSuffix(".d"), known.contains(String(name.dropLast(2))) {
        for one in entries(name) { check(Path.join(name, one), &faults) }
      } else {
        faults.append(HookFault(name: name, path: path(name), reason: .unknown))
      }
    }
    return faults
  }

  private func check(_ name: String, _ faults: inout [HookFault]) {
    if !isExecutable(name) {
      faults.append(HookFault(name: name, path: path(name), reason: .notExecutable))
    } else if foreignOwner(path(name)) != nil {
      faults.append(HookFault(name: name, path: path(name), reason: .foreign))
    }
  }
}
