import { useEffect, useRef, useState } from 'react'
import { markUnsaved } from '../core/unsaved.ts'
import { UploadRefused, uploadPicture } from './upload.ts'

/** A file on its way, or one that was refused. */
export type Sending = {
  readonly id: string
  readonly file: File
  /** From 0 to 1; null while it waits. */
  readonly share: number | null
  /** Why it was refused. */
  readonly error: string | null
  readonly mayRetry: boolean
}

/** Sends files one after the other, so that they arrive in the order in which they were given. */
export function useUploads(onArrived: (url: string) => void, unreachable: string) {
  const [sendings, setSendings] = useState<readonly Sending[]>([])
  const queue = useRef<Promise<void>>(Promise.resolve())
  const stops = useRef(new Map<string, AbortController>())
  const arrived = useRef(onArrived)
  arrived.current = onArrived
  const change = (id: string, to: Partial<Sending>) =>
    setSendings((all) => all.map((each) => (each.id === id ? { ...each, ...to } : each)))
  const forget = (id: string) => {
    stops.current.get(id)?.abort()
    stops.current.delete(id)
    setSendings((all) => all.filter((each) => each.id !== id))
  }
  const send = (id: string, file: File) => {
    const stop = new AbortController()
    stops.current.set(id, stop)
    queue.current = queue.current.then(async () => {
      if (stop.signal.aborted) return
      change(id, { share: 0, error: null })
      try {
        const url = await uploadPicture(file, (share) => change(id, { share }), stop.signal)
        if (stop.signal.aborted) return
        forget(id)
        arrived.current(url)
      } catch (error) {
        const reason = error instanceof UploadRefused ? error.reason : null
        change(id, { share: null, error: reason ?? unreachable, mayRetry: reason === null })
      }
    })
  }
  const add = (file: File, error: string | null = null) => {
    const id = crypto.randomUUID()
    setSendings((all) => [...all, { id, file, share: null, error, mayRetry: false }])
    if (error === null) send(id, file)
  }
  const retry = ({ id, file }: Sending) => {
    change(id, { error: null })
    send(id, file)
  }
  const isSending = sendings.some(({ error }) => error === null)
  useEffect(() => {
    const stopAll = () => {
      for (const each of stops.current.values()) each.abort()
    }
    return isSending ? markUnsaved(stopAll) : undefined
  }, [isSending])
  useEffect(() => {
    const { current } = stops
    return () => {
      for (const each of current.values()) each.abort()
    }
  }, [])
  return { sendings, add, retry, forget }
}
