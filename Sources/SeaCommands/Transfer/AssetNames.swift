import SeaCore
import SeaEngine
import SeaSystem

/// Readable names of asset files, for `sea dump --asset-name`.
///
/// A name is safe on every common file system and unique, also if the file system ignores case. The names depend only
/// on the records and their order, so that a later run finds the files of an earlier one.
package struct AssetNames {
  private let template: Template
  /// The digest of the content for which each name is used.
  private var claimed: [String: Digest] = [:]

  /// The fields of the template apart from properties.
  static let fields = ["_id", "_type", "ext", "digest"]
  /// Leaves room for a part of the digest and for the name of a temporary file.
  private static let mostBytes = 140

  init(_ text: String) throws(UsageFault) { template = try Template(text, fields: nil, pointers: true) }

  /// The properties that the template needs.
  func selections() throws -> [Selection] {
    try template.fields.filter { !AssetNames.fields.contains($0) }.map { try Selection($0) }
  }

  /// Returns the possible names of an asset, best first. The others contain digits of the digest, because another asset
  /// or another file may have the best name.
  func candidates(_ asset: AssetRow, of view: RecordView, _ queries: Queries, _ terminal: Terminal) -> [String] {
    let source = AssetFields(record: RecordFields(view: view, queries: queries), asset: asset)
    var bytes = template.bytes(source, terminal)
    if bytes.last == 0x0A { bytes.removeLast() }
    let digest = asset.digest.description
    let ending = FileEnding.of(asset.mime)
    var stem = String(decoding: bytes, as: UTF8.self)
    let hasEnding = !ending.isEmpty && stem.hasSuffix(ending)
    if hasEnding { stem.removeLast(ending.count) }
    stem = AssetNames.safe(stem)
    return ["", "-\(digest.prefix(8))", "-\(digest)"].map { stem + $0 + (hasEnding ? ending : "") }
  }

  /// Returns whether the name is not yet used for other content.
  mutating func claim(_ name: String, for digest: Digest) -> Bool {
    let key = name.lowercased()
    if let other = claimed[key] { return other == digest }
    claimed[key] = digest
    return true
  }

  /// Replaces everything that is not allowed or has a meaning in the names of files on some system.
  package static func safe(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if result.utf8.count + UTF8.width(scalar) > mostBytes { break }
      let isUnsafe =
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || "/\\:*?\"<>|".unicodeScalars.contains(scalar)
        || UnsafeCharacters.contains(scalar.value)
      result.unicodeScalars.append(isUnsafe ? "_" : scalar)
    }
    while let last = result.unicodeScalars.last, last == " " || last == "." { result.unicodeScalars.removeLast() }
    if let first = result.unicodeScalars.first, first == "." || first == "-" || first == " " || first == "~" {
      result = "_" + result
    }
    let name = result.prefix { $0 != "." }.uppercased()
    let isDevice =
      ["CON", "PRN", "AUX", "NUL"].contains(name)
      || ((name.hasPrefix("COM") || name.hasPrefix("LPT")) && name.count == 4 && name.last!.isNumber)
    return result.isEmpty || isDevice ? "_" + result : result
  }
}

private struct AssetFields: FieldSource {
  let record: RecordFields
  let asset: AssetRow

  func field(_ name: String) -> Field {
    switch name {
    case "ext": .string(FileEnding.of(asset.mime))
    case "digest": .text(asset.digest)
    default: record.field(name)
    }
  }

  func pointer(_ pointer: String) -> Field { record.pointer(pointer) }
}

/// The usual ending of file names for a content type.
enum FileEnding {
  private static let endings = [
    "application/gzip": ".gz", "application/json": ".json", "application/msword": ".doc", "application/pdf": ".pdf",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx", "application/zip": ".zip",
    "audio/flac": ".flac", "audio/mpeg": ".mp3", "audio/mp4": ".m4a", "audio/x-m4a": ".m4a", "audio/ogg": ".ogg",
    "audio/wav": ".wav", "audio/x-wav": ".wav", "image/avif": ".avif", "image/bmp": ".bmp", "image/gif": ".gif",
    "image/heic": ".heic", "image/heif": ".heif", "image/jpeg": ".jpg", "image/png": ".png", "image/svg+xml": ".svg",
    "image/tiff": ".tif", "image/webp": ".webp", "text/csv": ".csv", "text/html": ".html", "text/markdown": ".md",
    "text/plain": ".txt", "text/xml": ".xml", "video/mp4": ".mp4", "video/quicktime": ".mov", "video/webm": ".webm",
  ]

  /// Returns an empty text for an unknown type.
  static func of(_ mime: String) -> String { endings[mime] ?? "" }
}
