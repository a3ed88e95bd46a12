/** The licences of packages, compared with an allow list. */

/** Licences whose only condition is that copies contain its text. */
const allowed = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Unlicense'])

/** The packages of a package-lock.json, by their folders. */
export type Lock = Readonly<
  Record<string, { readonly dev?: boolean; readonly devOptional?: boolean; readonly link?: boolean }>
>

/**
 * The production dependencies whose licence is not allowed. `licenceOf` returns the licence in the package.json of a folder, and null if
 * the package is not installed, as those for other platforms.
 */
export function licenceFaults(lock: Lock, licenceOf: (folder: string) => unknown): string[] {
  return Object.entries(lock).flatMap(([folder, { dev, devOptional, link }]) => {
    if (!folder.includes('node_modules/') || dev || devOptional || link) return []
    const licence = licenceOf(folder)
    if (licence === null || isAllowed(licence)) return []
    return [`${folder.replace(/^.*node_modules\//, '')}: ${JSON.stringify(licence) ?? 'no licence'}`]
  })
}

/** Whether a licence expression is allowed (SPDX, without nested parentheses): one of a choice, all of a sum. */
function isAllowed(licence: unknown): boolean {
  if (typeof licence !== 'string') return false
  const choices = licence.replaceAll(/[()]/g, '').split(' OR ')
  return choices.some((choice) => choice.split(' AND ').every((name) => allowed.has(name)))
}
