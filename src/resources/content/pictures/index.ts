export { pictureTypes, typeOfName } from './formats.ts'
export { keyOf } from './key.ts'
export { picturesPath } from './schema.ts'
