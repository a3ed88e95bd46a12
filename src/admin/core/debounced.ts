import { useEffect, useState } from 'react'

/** A value that has not changed for a third of a second, so that typing does not send a request for each letter. */
export function useDebounced<Value>(value: Value): Value {
  const [steady, setSteady] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSteady(value), 330)
    return () => clearTimeout(timer)
  }, [value])
  return steady
}
