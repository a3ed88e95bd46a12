import { declareProblems } from '../../core/problem.ts'

export const pictureProblems = declareProblems('picture', {
  not_found: {
    code: 'PIC-1001',
    status: 404,
    description: 'No picture of this tenant has this address. A picture of another tenant answers the same.',
    message: {
      'en-US': 'The picture {id} does not exist.',
      'fr-FR': 'L’image {id} n’existe pas.',
      'de-DE': 'Das Bild {id} existiert nicht.',
      'es-ES': 'La imagen {id} no existe.',
    },
  },
  no_bucket: {
    code: 'PIC-1002',
    status: 409,
    description:
      'The operator has bound no bucket for pictures, so none can be uploaded. Give pictures of products by their addresses elsewhere.',
    message: {
      'en-US': 'Pictures cannot be uploaded here. Please give the address of the picture instead.',
      'fr-FR':
        'Les images ne peuvent pas être téléversées ici. Veuillez plutôt indiquer l’adresse de l’image.',
      'de-DE': 'Bilder können hier nicht hochgeladen werden. Bitte geben Sie die Adresse des Bildes an.',
      'es-ES': 'Aquí no se pueden subir imágenes. Indique en su lugar la dirección de la imagen.',
    },
  },
  unknown_format: {
    code: 'PIC-1003',
    status: 422,
    description:
      'The first bytes of the body are of no format that is taken, whatever its Content-Type says: PNG, JPEG, WebP, AVIF, GIF. SVG is not taken, because it can hold scripts.',
    message: {
      'en-US': 'This file is not a picture that can be used. Please choose PNG, JPEG, WebP, AVIF or GIF.',
      'fr-FR':
        'Ce fichier n’est pas une image utilisable. Veuillez choisir un fichier PNG, JPEG, WebP, AVIF ou GIF.',
      'de-DE':
        'Diese Datei ist kein verwendbares Bild. Bitte wählen Sie eine Datei im Format PNG, JPEG, WebP, AVIF oder GIF.',
      'es-ES': 'Este archivo no es una imagen utilizable. Elija un archivo PNG, JPEG, WebP, AVIF o GIF.',
    },
  },
  wrong_length: {
    code: 'PIC-1004',
    status: 400,
    description:
      'The body has more or fewer bytes than its Content-Length announced; nothing was kept. Send it again, whole.',
    message: {
      'en-US': 'The picture did not arrive whole. Please try again.',
      'fr-FR': 'L’image n’est pas arrivée entière. Veuillez réessayer.',
      'de-DE': 'Das Bild ist nicht vollständig angekommen. Bitte versuchen Sie es noch einmal.',
      'es-ES': 'La imagen no ha llegado completa. Inténtelo de nuevo.',
    },
  },
  storage_unavailable: {
    code: 'PIC-1005',
    status: 503,
    description: 'The bucket of pictures cannot be reached. Retry after the time in Retry-After.',
    message: {
      'en-US': 'Pictures are temporarily unavailable. Please try again shortly.',
      'fr-FR': 'Les images sont momentanément indisponibles. Veuillez réessayer dans quelques instants.',
      'de-DE': 'Bilder sind vorübergehend nicht verfügbar. Bitte versuchen Sie es in Kürze noch einmal.',
      'es-ES': 'Las imágenes no están disponibles temporalmente. Inténtelo de nuevo en breve.',
    },
  },
})
