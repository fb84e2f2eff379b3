import SeaContainer
import SeaStore

// Types of the layers below that callers of this library meet; they do not import those layers.

package typealias StoreError = SeaStore.StoreError
package typealias ContainerError = SeaContainer.ContainerError
package typealias InfoFault = SeaContainer.InfoFault
<<<<<<< HEAD:Sources/SeaKit/Reexports.swift
package typealias RecordFilter = SeaStore.RecordFilter
=======
package typealias Container = SeaContainer.Container
>>>>>>> ead8433954a48b35c93b2d1f28ae7caf5af158f1:Sources/SeaKit/Errors.swift
