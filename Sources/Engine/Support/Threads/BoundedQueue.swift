import LibC

/// Hands elements from one thread to another, in order, and no more than some at a time.
///
/// `@unchecked Sendable`: everything is behind the lock.
package final class BoundedQueue<Element>: @unchecked Sendable {
  private let capacity: Int
  private var elements: [Element] = []
  private var isCancelled = false
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>

  package init(capacity: Int) {
    self.capacity = capacity
    lock = .allocate(capacity: 1)
    changed = .allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(lock)
    changed.deallocate()
    lock.deallocate()
  }

  /// Adds an element, waiting for room; false where nobody takes any more.
  package func put(_ element: sending Element) -> Bool {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    // Who waited for room goes on when half of it is there: at every element two threads would do nothing
    // but wake each other.
    if elements.count == capacity {
      while elements.count > capacity / 2, !isCancelled { pthread_cond_wait(changed, lock) }
    }
    guard !isCancelled else { return false }
    elements.append(element)
    if elements.count == 1 { pthread_cond_broadcast(changed) }
    return true
  }

  /// Takes the oldest element, waiting for one; nil after `cancel`.
  package func take() -> Element? {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while elements.isEmpty, !isCancelled { pthread_cond_wait(changed, lock) }
    guard !isCancelled else { return nil }
    let element = elements.removeFirst()
    if elements.count == capacity / 2 { pthread_cond_broadcast(changed) }
    return element
  }

  /// Adds an element where there is room, and lets go of it else; never waits.
  package func offer(_ element: sending Element) {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    if elements.count < capacity, !isCancelled { elements.append(element) }
  }

  /// Takes the oldest element that is there; never waits.
  package func poll() -> Element? {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return elements.isEmpty ? nil : elements.removeFirst()
  }

  /// Nobody takes any more: who waits goes on.
  package func cancel() {
    pthread_mutex_lock(lock)
    isCancelled = true
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(lock)
  }
}
