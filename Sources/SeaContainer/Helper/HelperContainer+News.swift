import SeaCore
import SeaSystem

extension HelperContainer {
  /// Blocks that somebody says are there are asked for by their names. What is said of them is nothing that is relied on: who asks for
  /// anything else of such a chain, or does not find them, has its folder listed first.
  package func narrow(to news: [ChainNews], _ small: [SmallFolder]) throws(ContainerError) {
    guard let info = hintedInfo, known == nil else { return }
    let line = try line()
    let folders = news.filter { $0.blocks == nil }.map { "\(Layout.transactions)/\($0.branch)" } + small.map(\.rawValue)
    var sent: [(folder: String, ticket: HelperTicket)] = []
    for folder in folders { sent.append((folder, line.ask(.list(folder)))) }
    var names = HelperNames()
    for one in sent where try found(one.ticket) {
      for file in one.ticket.files where file.path.hasPrefix(one.folder + "/") { names.note(file) }
    }
    for one in news { if let blocks = one.blocks { names.chains[one.branch] = HelperNames.Chain(said: blocks) } }
    known = (names, info, true)
  }

  /// Has the folder of a chain listed of which only was said what is there.
  func settle(_ chain: BranchID) throws(ContainerError) {
    if try names().chains[chain]?.said != nil { try lookAgain(at: chain) }
  }
}
