import SeaContainer
import SeaStore

// Types of lower layers, for callers that do not import these layers.

package typealias AssetSource = SeaContainer.AssetSource
package typealias BundleCompression = SeaContainer.BundleCompression
package typealias BundleHead = SeaContainer.BundleHead
package typealias BundleManifest = SeaContainer.BundleManifest
package typealias BundleSource = SeaContainer.BundleSource
package typealias Container = SeaContainer.Container
package typealias Helpers = SeaContainer.Helpers
