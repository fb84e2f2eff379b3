import SeaCore
import SeaStore

extension Problem {
  /// - Parameter place: the container's name or path; empty for this device.
  init(_ code: Code, _ asset: AssetRow, place: String, detail: String = "") {
    self.init(code, place: place, instance: asset.extent.instance, index: asset.extent.first, detail: detail)
  }

  init(_ state: AssetState, _ asset: AssetRow, place: String) {
    let index: UInt32
    switch state {
    case .wrongSize(let file), .wrongList(let file), .sealed(let file, _): index = file.index
    case .wrongPieces(let ranges):
      let file = UInt32((ranges.first?.lowerBound ?? 0) / AssetExtent.fileSize)
      index = min(asset.extent.firstContent(ofSize: asset.size) + file, asset.extent.last)
    default: index = asset.extent.first
    }
    let detail =
      switch state {
      case .wrongSize: "size"
      case .wrongDigest: AssetReference.digestKey(forSize: asset.size).description
      case .wrongPieces(let ranges): AssetRanges.detail(ranges)
      case .wrongList: "list"
      case .sealed: "seal"
      case .badReference: "reference"
      case .good, .missing, .noKey: ""
      }
    self.init(
      state == .missing ? .missingAsset : .badAsset, place: place, instance: asset.extent.instance, index: index,
      detail: detail)
  }
}
