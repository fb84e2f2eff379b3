import SeaEngine
import SeaCore

/// The kind of a binary file, detected by its signature as file(1) does.
package enum BinaryFileKind: Sendable, Equatable {
  case archive
  case office
  case sqlite
  case medium
  case compressed

  /// The number of bytes needed to recognize all signatures.
  static let signature = 16

  package init?(beginning bytes: UnsafeBufferPointer<UInt8>) {
    let known = BinaryFileKind.signatures.first { bytes.starts(with: $0.bytes) }
    guard let known else { return nil }
    self = known.file
  }

  private static let signatures: [(bytes: [UInt8], file: BinaryFileKind)] = [
    ([0x50, 0x4B, 0x03, 0x04], .archive), ([0x50, 0x4B, 0x05, 0x06], .archive),
    ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], .office), (Array("SQLite format 3\0".utf8), .sqlite),
    ([0xFF, 0xD8, 0xFF], .medium), ([0x89, 0x50, 0x4E, 0x47], .medium), (Array("GIF8".utf8), .medium),
    (Array("%PDF-".utf8), .medium), ([0x1F, 0x8B], .compressed), ([0x28, 0xB5, 0x2F, 0xFD], .compressed),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], .compressed), (Array("BZh".utf8), .compressed),
  ]

  func failure(_ name: String) -> Failure {
    let file = name == "standard input" ? "FILE" : Escape.shellWord(name)
    let (what, hint) =
      switch self {
      case .archive where name.lowercased().hasSuffix(".xlsx"):
        ("an Excel workbook", "to load it, run: sea load \(file)")
      case .archive: ("a ZIP archive, such as .ods", BinaryFileKind.table)
      case .office: ("an office document", BinaryFileKind.table)
      case .sqlite: ("a SQLite database", "to load it, run: sea load \(file)")
      case .medium: ("a picture or a PDF", "to store it as an asset, run: sea set RECORD file:asset@\(file)")
      case .compressed: ("compressed", "unpack the file; to import a bundle, run: sea import \(file)")
      }
    return Failure(.badData, "\(name) is \(what), not text", hint: hint, ["file": name])
  }

  private static let table = "save the table as .xlsx or CSV, then run: sea load FILE.xlsx"
}
