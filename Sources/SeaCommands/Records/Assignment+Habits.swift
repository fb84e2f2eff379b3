import SeaCore
import SeaSystem
import SeaWords

// What was written as in other programs, and what it is here.

extension Assignment {
  /// That a text which looks like the file of another program's option is a text, where such a file is there.
  func tellOfFile(_ session: Session) {
    guard type == nil, sign == .set, value.first == UInt8(ascii: "@"), value.count > 1 else { return }
    let file = String(decoding: value.dropFirst(), as: UTF8.self)
    guard let found = try? Path.statusFollowing(session.path(file)), found.kind == .file else { return }
    session.terminal.notice(
      "\(path) is a text now, and not the file",
      hint:
        "as an asset: \(Escape.shellWord("\(path):asset@\(file)")); as a text: \(Escape.shellWord("\(path):string@\(file)"))"
    )
  }

  /// What is no JSON and was to be a set, as the array of what stands between its commas.
  var meantSet: String {
    let elements = String(decoding: value, as: UTF8.self).split(separator: ",").map {
      Value.string(String($0.drop { $0 == " " }))
    }
    return "\(path):set=" + ((try? Value.array(elements).json()) ?? "[]")
  }
}
