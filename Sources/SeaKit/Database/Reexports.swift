import SeaContainer
import SeaStore

// Types of the layers below that callers of this library meet; they do not import those layers.

package typealias StoreError = SeaStore.StoreError
package typealias ContainerError = SeaContainer.ContainerError
package typealias InfoFault = SeaContainer.InfoFault
package typealias SmallFileFault = SeaContainer.SmallFileFault
package typealias AssetFileFault = SeaContainer.AssetFileFault
package typealias AssetSource = SeaContainer.AssetSource
package typealias BundleError = SeaContainer.BundleError
package typealias BundleCompression = SeaContainer.BundleCompression
package typealias BundleHead = SeaContainer.BundleHead
package typealias BundleManifest = SeaContainer.BundleManifest
package typealias BundleSource = SeaContainer.BundleSource
package typealias Container = SeaContainer.Container
