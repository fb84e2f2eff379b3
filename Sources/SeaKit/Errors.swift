import SeaContainer
import SeaStore

// What callers of this library meet from the layers below, which they do not import.

package typealias StoreError = SeaStore.StoreError
package typealias ContainerError = SeaContainer.ContainerError
package typealias InfoFault = SeaContainer.InfoFault
package typealias Container = SeaContainer.Container
