import { catalogue, currentLocale } from '../core/settings.ts'
import { withToken } from '../core/sign-in.ts'

/** The message of a rejected upload; null without a response. */
export class UploadRefused extends Error {
  readonly reason: string | null

  constructor(reason: string | null) {
    super(reason ?? 'no answer')
    this.reason = reason
  }
}

/**
 * Uploads a file and gives the address under which it is shown from now on.
 *
 * @throws UploadRefused
 */
export async function uploadPicture(
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const { status, response } = await withToken((token) => send(token, file, onProgress, signal))
  const { url, message } = (response ?? {}) as { url?: string; message?: string }
  if (status !== 201 || url === undefined) throw new UploadRefused(message ?? null)
  return url
}

/** With XMLHttpRequest, because `fetch` reports no progress of an upload. */
function send(
  token: string | null,
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<XMLHttpRequest> {
  const request = new XMLHttpRequest()
  request.open('POST', `${location.origin}/api/pictures`)
  request.setRequestHeader('Accept', 'application/ld+json')
  request.setRequestHeader('Content-Type', file.type)
  request.setRequestHeader('Service-Api-Version', catalogue().currentVersion)
  request.setRequestHeader('Service-Locale', currentLocale())
  request.setRequestHeader('Authorization', `Bearer ${token ?? ''}`)
  request.responseType = 'json'
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total)
    request.onload = () => resolve(request)
    request.onerror = () => reject(new UploadRefused(null))
    request.onabort = () => reject(new UploadRefused(null))
    signal.addEventListener('abort', () => request.abort())
    request.send(file)
  })
}
