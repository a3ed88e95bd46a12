import { declareProblems } from '../problem.ts'

/** What can be wrong with the API version that a request asks for. */
export const versionProblems = declareProblems('version', {
  unknown: {
    code: 'VER-1001',
    status: 400,
    description:
      'Service-Api-Version names no version of this API. Send one of supportedVersions, or none for the default of the tenant.',
    message: {
      'en-US': 'The version “{version}” does not exist.',
      'fr-FR': 'La version « {version} » n’existe pas.',
      'de-DE': 'Die Version „{version}“ existiert nicht.',
      'es-ES': 'La versión «{version}» no existe.',
    },
  },
  retired: {
    code: 'VER-1002',
    status: 410,
    description:
      'Service-Api-Version names a version whose sunset has passed. Move to a version listed at /api/versions.',
    message: {
      'en-US': 'The version {version} has not been available since {sunset}. Please update your application.',
      'fr-FR':
        'La version {version} n’est plus disponible depuis le {sunset}. Veuillez mettre à jour votre application.',
      'de-DE':
        'Die Version {version} ist seit dem {sunset} nicht mehr verfügbar. Bitte aktualisieren Sie Ihre Anwendung.',
      'es-ES': 'La versión {version} ya no está disponible desde el {sunset}. Actualice su aplicación.',
    },
  },
  renamed_property: {
    code: 'VER-1003',
    status: 422,
    description:
      'The body uses a name that the property has in another API version. Send the name of the version in use, or ask for the other version.',
    message: {
      'en-US': 'In version {version}, the property “{name}” is called “{rightName}”.',
      'fr-FR': 'Dans la version {version}, la propriété « {name} » s’appelle « {rightName} ».',
      'de-DE': 'In Version {version} heißt die Eigenschaft „{name}“ stattdessen „{rightName}“.',
      'es-ES': 'En la versión {version}, la propiedad «{name}» se llama «{rightName}».',
    },
  },
  operation_unavailable: {
    code: 'VER-1004',
    status: 404,
    description:
      'The operation exists, but not in the API version of this request. Ask for one of those that availableIn names.',
    message: {
      'en-US': 'This function is not available in version {version}, only in {availableIn}.',
      'fr-FR':
        'Cette fonction n’est pas disponible dans la version {version}, mais seulement dans {availableIn}.',
      'de-DE': 'Diese Funktion ist in Version {version} nicht verfügbar, nur in {availableIn}.',
      'es-ES': 'Esta función no está disponible en la versión {version}, solo en {availableIn}.',
    },
  },
})
