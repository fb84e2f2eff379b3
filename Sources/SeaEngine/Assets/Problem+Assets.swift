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
    case .wrongSize(let file), .sealed(let file, _): index = file.index
    default: index = asset.extent.first
    }
    let detail =
      switch state {
      case .wrongSize: "size"
      case .wrongDigest: "sha256"
      case .sealed: "seal"
      case .badReference: "reference"
      case .good, .missing, .noKey: ""
      }
    self.init(
      state == .missing ? .missingAsset : .badAsset, place: place, instance: asset.extent.instance, index: index,
      detail: detail)
  }
}
