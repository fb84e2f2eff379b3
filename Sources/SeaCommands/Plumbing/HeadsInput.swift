import SeaCore
import SeaEngine

enum HeadsInput {
  /// Reads the output of `sea heads`, or the heads file of an instance in an exchange folder.
  ///
  /// Additional fields in a line are ignored, so that the output of `--have` can be read too.
  static func read(_ file: String, _ session: Session) throws -> [BlockRef] {
    let input = try session.reader(file)
    var heads: [BlockRef] = []
    var text: [UInt8] = []
    var number = 0
    while let line = try input.line() {
      number += 1
      if line.isEmpty { continue }
      if !text.isEmpty || (number == 1 && line.first == UInt8(ascii: "{")) {
        text += line + [0x0A]
        guard text.count <= HeadsFile.largest else { throw fault(file, number) }
        continue
      }
      let fields = String(decoding: line, as: UTF8.self).split(separator: "\t", omittingEmptySubsequences: false)
      guard fields.count >= 3, let branch = BranchID(String(fields[0])), let index = UInt32(fields[1]),
        let digest = Digest(hex: String(fields[2]))
      else { throw fault(file, number) }
      heads.append(BlockRef(branch, index: index, digest: digest))
    }
    guard !text.isEmpty else { return heads }
    guard let read = HeadsFile(text) else { throw fault(file, 1) }
    return read.heads
  }

  private static func fault(_ file: String, _ line: Int) -> CommandError {
    .badLine(name: file == "-" ? "standard input" : file, line: line, .notAHead)
  }
}
