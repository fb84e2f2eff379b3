public import Foundation
public import SeaKit

extension AssetContent {
  /// A regular file of any size, which is read piece by piece. Anything else throws an error when it is saved.
  /// - Parameters:
  ///   - url: the URL of the file.
  ///   - mimeType: the MIME type, such as `image/jpeg`; nil to detect it from the content.
  public static func file(_ url: URL, mimeType: String? = nil) -> AssetContent {
    // No file has the text of another URL as its path, so the error names the URL.
    .file(url.isFileURL ? url.path(percentEncoded: false) : url.absoluteString, mimeType: mimeType)
  }
}

extension Database.Assets {
  /// Returns the URL of the file in the database that has the content of an asset. Only read the file, and do not rely
  /// on it after the content was dropped or purged.
  /// - Parameters:
  ///   - asset: the asset.
  ///   - fetching: whether to fetch the content from a container if it is not on this device. A read-only database
  ///     never fetches content.
  ///   - progress: receives the number of bytes fetched so far.
  /// - Throws: the errors of `path(of:)`, such as `usage` if the database is encrypted. In this case, write a copy with
  ///   `copy(_:to:)`.
  public func url(
    of asset: Asset, fetching: Bool = true, progress: (@Sendable (SeaKit.Progress) -> Void)? = nil
  ) async throws -> URL {
    URL(filePath: try await path(of: asset, fetching: fetching, progress: progress), directoryHint: .notDirectory)
  }

  /// Writes the content of an asset to a file. The file appears under its name, or replaces an existing file, once its
  /// content is complete and verified.
  /// - Parameters:
  ///   - asset: the asset.
  ///   - url: the URL of the file.
  ///   - fetching: whether to fetch the content from a container if it is not on this device. A read-only database
  ///     never fetches content.
  ///   - progress: receives the number of bytes fetched so far.
  /// - Throws: the errors of `bytes(of:)`, except for the limit, and errors of the system.
  public func copy(
    _ asset: Asset, to url: URL, fetching: Bool = true, progress: (@Sendable (SeaKit.Progress) -> Void)? = nil
  ) async throws {
    let path = url.isFileURL ? url.path(percentEncoded: false) : url.absoluteString
    try await copy(asset, to: path, fetching: fetching, progress: progress)
  }
}
