import SeaCore
import SeaStore
import SeaSystem

/// Bundles: what there is to write into one, and taking in what one brings.
///
/// A bundle is a container in one file. It is unpacked in `.sea/tmp` and then taken in like any other container, in one
/// transaction with its assets: all of it, or nothing.
package final class Bundles {
  let exchange: Exchange

  var folder: SeaFolder { exchange.folder }
  var keychain: Keychain { exchange.keychain }
  var members: Roster { exchange.members }
  var author: Author { exchange.author }
  var assets: Assets { exchange.assets }
  var store: Store { exchange.store }

  package init(_ exchange: Exchange) { self.exchange = exchange }
}
