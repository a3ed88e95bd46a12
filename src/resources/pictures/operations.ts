import { byteLimits } from '../../core/limits.ts'
import { operation, type Resource } from '../../core/operation.ts'
import { pictureProblems } from './problems.ts'
import { picture, pictureTypes } from './schema.ts'
import { uploadPicture } from './upload.ts'

export const resource: Resource = {
  shape: picture,
  problems: Object.values(pictureProblems),
  operations: [
    operation({
      name: 'uploadPicture',
      summary: 'Upload a picture',
      description:
        'The body is the file itself. Its address goes into the `media` of products and variants with a PATCH of theirs. Nothing is recorded. 409 `picture.no_bucket` where the service has no place for pictures.',
      method: 'POST',
      path: picture.collection,
      scope: 'products:write',
      shape: picture,
      answers: 'item',
      upload: { types: pictureTypes, most: byteLimits.picture },
      notFound: pictureProblems.not_found,
      run: uploadPicture,
    }),
  ],
}
