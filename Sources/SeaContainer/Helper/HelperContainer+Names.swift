import SeaCore
import SeaSystem

// What the names say: nothing is read here.

extension HelperContainer {
  package func chains() throws(ContainerError) -> ChainListing { try names().listing() }

  package func lastIndex(of chain: BranchID) throws(ContainerError) -> UInt32? { try range(of: chain)?.last }

  package func firstIndex(of chain: BranchID) throws(ContainerError) -> UInt32? { try range(of: chain)?.first }

  package func has(_ chain: BranchID, _ index: UInt32) throws(ContainerError) -> Bool {
    try names().chains[chain]?.has(index) ?? false
  }

  package func survey(_ chain: BranchID) throws(ContainerError) -> BranchSurvey {
    try settle(chain)
    return try names().survey(chain)
  }

  package func strays() throws(ContainerError) -> [Stray] { try names().strays() }

  package func forEachFile(_ body: (Stray) throws -> Void) throws -> [String] {
    try names().forEach { try body(Stray(path: $0.path, size: $1.size, modified: $1.time)) }
    return []
  }

  package func foreignFiles() throws(ContainerError) -> ForeignFiles { try names().foreignFiles(location) }
}

extension ContainerNames {
  mutating func note(_ file: WireFile) { note(file.path, size: file.size, time: file.time) }

  /// Takes what was listed of a folder for all that is there.
  mutating func look(again chain: BranchID, _ files: [WireFile]) {
    forget(chain)
    let folder = "\(Layout.transactions)/\(chain)/"
    for file in files where file.path.hasPrefix(folder) { note(file) }
  }
}
