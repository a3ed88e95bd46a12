/** What options and option values have in common: each writes its own description of itself, and what only it does. */
export { getOwned, patchOwned, translateOwned } from './change.ts'
export { createOwned } from './create.ts'
export { deleteOwned } from './delete.ts'
export { forgetOwned } from './forget.ts'
export type { Owned } from './owned.ts'
