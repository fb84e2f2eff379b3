package enum BundleCompression: String, CaseIterable, Sendable {
  case none, gzip, xz, zstd

  static let magicSize = 6

  package init(magic: UnsafeRawBufferPointer) {
    self = .none
    for kind in [BundleCompression.gzip, .xz, .zstd] where magic.starts(with: kind.magic) { self = kind }
  }

  private var magic: [UInt8] {
    switch self {
    case .none: []
    case .gzip: [0x1F, 0x8B]
    case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
    case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
    }
  }

  package var suffix: String {
    switch self {
    case .none: ".tar"
    case .gzip: ".tar.gz"
    case .xz: ".tar.xz"
    case .zstd: ".tar.zst"
    }
  }
}
