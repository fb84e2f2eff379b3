import SeaKit

/// The content of an asset: a picture if it is one, otherwise a download. It is never a page.
enum AssetAnswer {
  /// Tables show pictures up to the first size unchanged. Of larger pictures, tables show the preview from the camera, or
  /// pictures up to the second size. They show many pictures at once, so each can have only so many pixels.
  private static let (small, large, mostPixels) = (Int64(256 << 10), Int64(4 << 20), 8_000_000)

  /// The asset that the parameters of the address name.
  static func find(_ visit: Visit) async throws -> Asset {
    let (id, path) = (try visit.needed("id"), try visit.needed("path"))
    let record: Record?
    if let text = visit.form.fields["rev"] ?? visit.query["rev"] {
      guard let revision = Revision(text) else { throw Refusal(400, "the revision is not valid") }
      record = try await visit.database.history.record(id, at: revision)
    } else {
      record = try await visit.database.record(id)
    }
    guard case .asset(let asset)? = record?[path: path]?.unlabeled else { throw Refusal(404, "there is no such file") }
    return asset
  }

  static func show(_ visit: Visit) async throws -> Answer {
    let asset = try await find(visit)
    let (id, path) = (try visit.needed("id"), try visit.needed("path"))
    let isSmall = visit.query["small"] != nil
    guard try await visit.database.assets.isHere(asset) else {
      if isSmall { return drawing("not here") }
      throw Refusal(404, "the file is not on this device; to fetch it, run: sea fetch-assets \(CommandText.word(id))")
    }
    if visit.query["download"] == nil, let head = try await Picture.head(of: asset, visit.database) {
      let whole: Answer.Content =
        head.count == asset.size
        ? .bytes(head) : .asset(visit.database.assets.pieces(of: asset), size: asset.size)
      guard isSmall else { return picture(whole, asset.mimeType) }
      // Browsers decode photos in the size that they need, and other pictures as a whole.
      let isPhoto = asset.mimeType == "image/jpeg"
      if isPhoto, asset.size > small, let preview = Picture.small(of: head), Picture.isShown(preview, most: mostPixels)
      {
        return picture(.bytes(preview), asset.mimeType)
      }
      let isEasy = asset.size <= large && (isPhoto || Picture.isShown(head, most: mostPixels))
      return isEasy ? picture(whole, asset.mimeType) : drawing("large")
    }
    if isSmall { return drawing("no picture") }
    return download(asset, visit.database, name: Field.names(of: path).last ?? "file", id)
  }

  private static func picture(_ content: Answer.Content, _ type: String) -> Answer {
    var answer = Answer(200, type, content)
    answer.set("content-security-policy", Answer.contentPolicy)
    answer.set("content-disposition", "inline")
    return answer
  }

  /// A small drawing in the place of a picture.
  private static func drawing(_ text: StaticString) -> Answer {
    let source = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 48">\
      <rect width="64" height="48" rx="4" fill="#8892" stroke="#889"/>\
      <text x="32" y="28" text-anchor="middle" font-family="sans-serif" font-size="11" fill="#778">\(text)</text></svg>
      """
    var answer = Answer(200, "image/svg+xml", .bytes(Array(source.utf8)))
    answer.set("content-security-policy", Answer.contentPolicy)
    return answer
  }

  private static func download(_ asset: Asset, _ database: Database, name: String, _ id: String) -> Answer {
    var answer = Answer(
      200, "application/octet-stream", .asset(database.assets.pieces(of: asset), size: asset.size))
    answer.set("content-security-policy", Answer.contentPolicy)
    answer.set("content-length", String(asset.size))
    answer.set("content-disposition", "attachment; filename*=UTF-8''\(fileName(id, name, asset.mimeType))")
    return answer
  }

  /// A name without anything that leads to another folder, hides the ending or is hidden itself.
  static func fileName(_ id: String, _ name: String, _ type: String) -> String {
    let endings = [
      "image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp", "application/pdf": "pdf",
      "text/plain": "txt", "text/csv": "csv", "audio/mpeg": "mp3", "audio/wav": "wav", "audio/x-wav": "wav",
      "audio/flac": "flac", "video/mp4": "mp4", "application/zip": "zip", "application/json": "json",
    ]
    var text = ""
    for scalar in "\(id)-\(name)".unicodeScalars {
      text.unicodeScalars.append(scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) ? scalar : "-")
    }
    return Percent.encoded(text.cutName(80) + (endings[type].map { ".\($0)" } ?? ".bin"))
  }
}

extension String {
  fileprivate func cutName(_ most: Int) -> String { String(prefix(most)) }
}
