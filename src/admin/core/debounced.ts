import { useEffect, useState } from 'react'

/** A value once nobody has changed it for a third of a second: what is asked of the service while somebody types. */
export function useDebounced<Value>(value: Value): Value {
  const [steady, setSteady] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSteady(value), 330)
    return () => clearTimeout(timer)
  }, [value])
  return steady
}
