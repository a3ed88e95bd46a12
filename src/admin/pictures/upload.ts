import { currentToken } from '../core/session.ts'
import { catalogue, currentLocale } from '../core/settings.ts'

/** What a refused upload says; null where nothing was answered at all. */
export class UploadRefused extends Error {
  readonly told: string | null

  constructor(told: string | null) {
    super(told ?? 'no answer')
    this.told = told
  }
}

/**
 * Sends a file and answers the address under which it is shown from now on. `fetch` tells nothing of how far it is.
 *
 * @throws UploadRefused
 */
export function uploadPicture(
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const request = new XMLHttpRequest()
  request.open('POST', `${location.origin}/api/pictures`)
  request.setRequestHeader('Accept', 'application/ld+json')
  request.setRequestHeader('Content-Type', file.type)
  request.setRequestHeader('Service-Api-Version', catalogue().currentVersion)
  request.setRequestHeader('Service-Locale', currentLocale())
  request.setRequestHeader('Authorization', `Bearer ${currentToken() ?? ''}`)
  request.responseType = 'json'
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total)
    request.onload = () => {
      const { url, message } = (request.response ?? {}) as { url?: string; message?: string }
      if (request.status === 201 && url !== undefined) resolve(url)
      else reject(new UploadRefused(message ?? null))
    }
    request.onerror = () => reject(new UploadRefused(null))
    request.onabort = () => reject(new UploadRefused(null))
    signal.addEventListener('abort', () => request.abort())
    request.send(file)
  })
}
