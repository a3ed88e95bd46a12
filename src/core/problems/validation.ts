import { declareProblems } from '../problem.ts'

/**
 * Errors of single values in a body or a query. `{hint}` is empty or a language-neutral suggestion with its leading
 * space, such as ` (→ title)`.
 */
export const validationProblems = declareProblems('validation', {
  failed: {
    code: 'VAL-1001',
    status: 422,
    description:
      'One or more values of the request break a rule; each is listed in violations with its propertyPath. Correct all of them and send the request again.',
    message: {
      'en-US': 'Some entries need to be corrected ({count}).',
      'fr-FR': 'Certaines saisies doivent être corrigées ({count}).',
      'de-DE': 'Einige Angaben müssen korrigiert werden ({count}).',
      'es-ES': 'Algunos datos deben corregirse ({count}).',
    },
  },
  required: {
    code: 'VAL-1002',
    status: 422,
    description:
      'A required value is missing, or null was sent for it. Send a value; a merge patch cannot clear a required property.',
    message: {
      'en-US': 'This information is required.',
      'fr-FR': 'Cette information est obligatoire.',
      'de-DE': 'Diese Angabe ist erforderlich.',
      'es-ES': 'Este dato es obligatorio.',
    },
  },
  blank: {
    code: 'VAL-1003',
    status: 422,
    description:
      'The text is empty or consists of white space alone. Send a text with at least one visible character.',
    message: {
      'en-US': 'This field cannot be left blank.',
      'fr-FR': 'Ce champ ne peut pas rester vide.',
      'de-DE': 'Dieses Feld darf nicht leer sein.',
      'es-ES': 'Este campo no puede quedar en blanco.',
    },
  },
  type: {
    code: 'VAL-1004',
    status: 422,
    description:
      'The value has another JSON type than the property takes. Send a value of the expected type.',
    message: {
      'en-US': 'This value is of the wrong kind. Expected: {expected}.',
      'fr-FR': 'Cette valeur n’est pas du bon type. Type attendu : {expected}.',
      'de-DE': 'Dieser Wert hat den falschen Typ. Erwartet wird: {expected}.',
      'es-ES': 'Este valor no es del tipo correcto. Se espera: {expected}.',
    },
  },
  too_short: {
    code: 'VAL-1005',
    status: 422,
    description: 'The text has fewer characters than the property needs. Send a longer text.',
    message: {
      'en-US': 'This text is too short. Minimum number of characters: {minimum}.',
      'fr-FR': 'Ce texte est trop court. Nombre minimal de caractères : {minimum}.',
      'de-DE': 'Dieser Text ist zu kurz. Mindestanzahl der Zeichen: {minimum}.',
      'es-ES': 'Este texto es demasiado corto. Número mínimo de caracteres: {minimum}.',
    },
  },
  too_long: {
    code: 'VAL-1006',
    status: 422,
    description:
      'The text has more characters than the property takes; nothing is cut silently. Send a shorter text.',
    message: {
      'en-US': 'This text is too long. Maximum number of characters: {maximum}.',
      'fr-FR': 'Ce texte est trop long. Nombre maximal de caractères : {maximum}.',
      'de-DE': 'Dieser Text ist zu lang. Höchstanzahl der Zeichen: {maximum}.',
      'es-ES': 'Este texto es demasiado largo. Número máximo de caracteres: {maximum}.',
    },
  },
  too_small: {
    code: 'VAL-1007',
    status: 422,
    description:
      'The number is below the smallest that the property or parameter takes. Send a number at or above the minimum.',
    message: {
      'en-US': 'This number is too small. Please enter {minimum} or more.',
      'fr-FR': 'Ce nombre est trop petit. Veuillez saisir {minimum} ou plus.',
      'de-DE': 'Diese Zahl ist zu klein. Bitte geben Sie {minimum} oder mehr ein.',
      'es-ES': 'Este número es demasiado pequeño. Introduzca {minimum} o más.',
    },
  },
  too_big: {
    code: 'VAL-1008',
    status: 422,
    description:
      'The number is above the largest that the property or parameter takes. Send a number at or below the maximum.',
    message: {
      'en-US': 'This number is too large. Please enter {maximum} or less.',
      'fr-FR': 'Ce nombre est trop grand. Veuillez saisir {maximum} ou moins.',
      'de-DE': 'Diese Zahl ist zu groß. Bitte geben Sie {maximum} oder weniger ein.',
      'es-ES': 'Este número es demasiado grande. Introduzca {maximum} o menos.',
    },
  },
  not_integer: {
    code: 'VAL-1009',
    status: 422,
    description:
      'The number has a fraction, or the text is not a whole number in plain digits. Send an integer.',
    message: {
      'en-US': 'Please enter a whole number.',
      'fr-FR': 'Veuillez saisir un nombre entier.',
      'de-DE': 'Bitte geben Sie eine ganze Zahl ein.',
      'es-ES': 'Introduzca un número entero.',
    },
  },
  number: {
    code: 'VAL-1010',
    status: 422,
    description:
      'The value is not a finite decimal number, or it is too large to be kept exactly. Send a plain decimal number.',
    message: {
      'en-US': 'Please enter a valid number.',
      'fr-FR': 'Veuillez saisir un nombre valide.',
      'de-DE': 'Bitte geben Sie eine gültige Zahl ein.',
      'es-ES': 'Introduzca un número válido.',
    },
  },
  pattern: {
    code: 'VAL-1011',
    status: 422,
    description:
      'The text does not have the form that the property needs. Send it in the format that the message names.',
    message: {
      'en-US': 'This value does not have the right format. Expected format: {format}.',
      'fr-FR': 'Cette valeur n’a pas le bon format. Format attendu : {format}.',
      'de-DE': 'Dieser Wert hat nicht das richtige Format. Erwartetes Format: {format}.',
      'es-ES': 'Este valor no tiene el formato correcto. Formato esperado: {format}.',
    },
  },
  choice: {
    code: 'VAL-1012',
    status: 422,
    description:
      'The value is not one of those that the property or parameter takes. Send one of the listed choices, in the same spelling.',
    message: {
      'en-US': 'Please choose one of these values: {choices}.',
      'fr-FR': 'Veuillez choisir l’une des valeurs suivantes : {choices}.',
      'de-DE': 'Bitte wählen Sie einen dieser Werte: {choices}.',
      'es-ES': 'Elija uno de estos valores: {choices}.',
    },
  },
  too_many_items: {
    code: 'VAL-1013',
    status: 422,
    description:
      'The list has more entries than the property or the bulk operation takes. Send fewer, or split the request.',
    message: {
      'en-US': 'There are too many entries. Maximum: {maximum}.',
      'fr-FR': 'Il y a trop d’éléments. Maximum autorisé : {maximum}.',
      'de-DE': 'Es sind zu viele Einträge. Höchstanzahl: {maximum}.',
      'es-ES': 'Hay demasiados elementos. Número máximo: {maximum}.',
    },
  },
  too_few_items: {
    code: 'VAL-1014',
    status: 422,
    description: 'The list has fewer entries than the property needs. Send more.',
    message: {
      'en-US': 'There are too few entries. Minimum: {minimum}.',
      'fr-FR': 'Il n’y a pas assez d’éléments. Minimum requis : {minimum}.',
      'de-DE': 'Es sind zu wenige Einträge. Mindestanzahl: {minimum}.',
      'es-ES': 'Hay muy pocos elementos. Número mínimo: {minimum}.',
    },
  },
  duplicate_item: {
    code: 'VAL-1015',
    status: 422,
    description:
      'The list names the same entry twice; propertyPath points at the later one. Send each entry once.',
    message: {
      'en-US': 'This entry appears more than once.',
      'fr-FR': 'Cet élément apparaît plusieurs fois.',
      'de-DE': 'Dieser Eintrag kommt mehrfach vor.',
      'es-ES': 'Este elemento aparece más de una vez.',
    },
  },
  invalid_iri: {
    code: 'VAL-1016',
    status: 422,
    description:
      'The value is not the IRI of a resource of the type that this relation takes. Send the @id of such a resource, with its id in lower case with dashes: relative, or absolute on the host that is asked.',
    message: {
      'en-US': 'This is not a valid reference to another record. Expected: {expected}.',
      'fr-FR': 'Cette référence à un autre enregistrement n’est pas valide. Attendu : {expected}.',
      'de-DE': 'Dies ist kein gültiger Verweis auf einen anderen Datensatz. Erwartet wird: {expected}.',
      'es-ES': 'Esta referencia a otro registro no es válida. Se espera: {expected}.',
    },
  },
  unknown_reference: {
    code: 'VAL-1017',
    status: 422,
    description:
      'The IRI is well formed, but no such resource exists in this catalogue. Create it first or correct the IRI.',
    message: {
      'en-US': 'The record referred to does not exist: {iri}.',
      'fr-FR': 'L’enregistrement indiqué n’existe pas : {iri}.',
      'de-DE': 'Der angegebene Datensatz existiert nicht: {iri}.',
      'es-ES': 'El registro indicado no existe: {iri}.',
    },
  },
  unknown_property: {
    code: 'VAL-1018',
    status: 422,
    description:
      'The body has a member that this operation does not write, and Prefer: handling=strict was sent. Remove or rename it; without that preference it would be ignored.',
    message: {
      'en-US': 'The property “{name}” is not recognized here{hint}.',
      'fr-FR': 'La propriété « {name} » n’est pas reconnue ici{hint}.',
      'de-DE': 'Die Eigenschaft „{name}“ ist hier nicht bekannt{hint}.',
      'es-ES': 'La propiedad «{name}» no se reconoce aquí{hint}.',
    },
  },
  unknown_parameter: {
    code: 'VAL-1019',
    status: 422,
    description:
      'The query has a parameter that this operation does not read, and Prefer: handling=strict was sent. Remove or rename it; without that preference it would be ignored.',
    message: {
      'en-US': 'The parameter “{name}” is not recognized here{hint}.',
      'fr-FR': 'Le paramètre « {name} » n’est pas reconnu ici{hint}.',
      'de-DE': 'Der Parameter „{name}“ ist hier nicht bekannt{hint}.',
      'es-ES': 'El parámetro «{name}» no se reconoce aquí{hint}.',
    },
  },
  parameter_repeated: {
    code: 'VAL-1020',
    status: 422,
    description: 'A query parameter that takes one value was given several times. Send it once.',
    message: {
      'en-US': 'The parameter “{name}” may be given only once.',
      'fr-FR': 'Le paramètre « {name} » ne peut être indiqué qu’une seule fois.',
      'de-DE': 'Der Parameter „{name}“ darf nur einmal angegeben werden.',
      'es-ES': 'El parámetro «{name}» solo puede indicarse una vez.',
    },
  },
  page: {
    code: 'VAL-1021',
    status: 422,
    description:
      'A cursor was sent beside an updatedAt filter, whose list goes on behind the last change that was seen. Drop cursor and follow view.next.',
    message: {
      'en-US': 'This list cannot be continued from that place. Please use the link to the next page.',
      'fr-FR':
        'Cette liste ne peut pas être poursuivie à cet endroit. Veuillez utiliser le lien vers la page suivante.',
      'de-DE':
        'Diese Liste lässt sich an dieser Stelle nicht fortsetzen. Bitte verwenden Sie den Link zur nächsten Seite.',
      'es-ES': 'Esta lista no se puede continuar desde ese lugar. Utilice el enlace a la página siguiente.',
    },
  },
  expand: {
    code: 'VAL-1022',
    status: 422,
    description:
      'The path in expand is not a relation that can be expanded here, or it is deeper than three levels. Use one of those that the message lists; several are separated by commas.',
    message: {
      'en-US': '“{path}” cannot be expanded. Possible values: {choices}.',
      'fr-FR': '« {path} » ne peut pas être développé. Valeurs possibles : {choices}.',
      'de-DE': '„{path}“ kann nicht erweitert werden. Mögliche Werte: {choices}.',
      'es-ES': 'No se puede expandir «{path}». Valores posibles: {choices}.',
    },
  },
  identity_mismatch: {
    code: 'VAL-1023',
    status: 422,
    description:
      'The body carries an @id, @type or id that contradicts the resource being written. Leave it out or send the value of this resource.',
    message: {
      'en-US': '“{name}” does not match the record you are editing.',
      'fr-FR': '« {name} » ne correspond pas à l’enregistrement que vous modifiez.',
      'de-DE': '„{name}“ passt nicht zu dem Datensatz, den Sie bearbeiten.',
      'es-ES': '«{name}» no corresponde al registro que está editando.',
    },
  },
  immutable: {
    code: 'VAL-1024',
    status: 422,
    description:
      'The property is set when the resource is created and cannot change afterwards. Leave it out, or create a new resource.',
    message: {
      'en-US': '“{name}” cannot be changed after creation.',
      'fr-FR': '« {name} » ne peut plus être modifié après la création.',
      'de-DE': '„{name}“ kann nach dem Anlegen nicht mehr geändert werden.',
      'es-ES': '«{name}» no se puede modificar después de la creación.',
    },
  },
  amount: {
    code: 'VAL-1025',
    status: 422,
    description:
      'The amount is not a decimal number, is negative or too large, or has more decimals than ISO 4217 gives its currency. Send a decimal string such as "19.90".',
    message: {
      'en-US':
        'Please enter a valid amount in {currency}, not below zero. Decimal places allowed: {decimals}.',
      'fr-FR':
        'Veuillez saisir un montant valide en {currency}, positif ou nul. Décimales autorisées : {decimals}.',
      'de-DE':
        'Bitte geben Sie einen gültigen, nicht negativen Betrag in {currency} ein. Zulässige Nachkommastellen: {decimals}.',
      'es-ES':
        'Introduzca un importe válido en {currency}, no inferior a cero. Decimales permitidos: {decimals}.',
    },
  },
  currency: {
    code: 'VAL-1026',
    status: 422,
    description: 'The value is not an ISO 4217 alphabetic currency code. Send one such as EUR or JPY.',
    message: {
      'en-US': 'Please enter a valid three-letter currency code, such as EUR.',
      'fr-FR': 'Veuillez saisir un code de devise valide à trois lettres, par exemple EUR.',
      'de-DE': 'Bitte geben Sie einen gültigen Währungscode mit drei Buchstaben ein, zum Beispiel EUR.',
      'es-ES': 'Introduzca un código de moneda válido de tres letras, por ejemplo EUR.',
    },
  },
  country: {
    code: 'VAL-1027',
    status: 422,
    description: 'The value is not an ISO 3166-1 alpha-2 country code. Send one such as FR or DE.',
    message: {
      'en-US': 'Please enter a valid two-letter country code, such as FR.',
      'fr-FR': 'Veuillez saisir un code pays valide à deux lettres, par exemple FR.',
      'de-DE': 'Bitte geben Sie einen gültigen Ländercode mit zwei Buchstaben ein, zum Beispiel FR.',
      'es-ES': 'Introduzca un código de país válido de dos letras, por ejemplo FR.',
    },
  },
  instant: {
    code: 'VAL-1028',
    status: 422,
    description:
      'The value is not a date, or an ISO 8601 date and time, with Z, a numeric offset, or no zone for UTC. Send one such as 2026-10-01T12:00:00Z.',
    message: {
      'en-US': 'Please enter a valid date and time, such as 2026-10-01T12:00:00Z.',
      'fr-FR': 'Veuillez saisir une date et une heure valides, par exemple 2026-10-01T12:00:00Z.',
      'de-DE': 'Bitte geben Sie ein gültiges Datum mit Uhrzeit ein, zum Beispiel 2026-10-01T12:00:00Z.',
      'es-ES': 'Introduzca una fecha y hora válidas, por ejemplo 2026-10-01T12:00:00Z.',
    },
  },
  gtin: {
    code: 'VAL-1029',
    status: 422,
    description:
      'The barcode has 8, 12, 13 or 14 digits, but its last digit is not the GTIN check digit of the others. Correct the barcode.',
    message: {
      'en-US': 'This barcode is not valid: its check digit is wrong. Please check the digits.',
      'fr-FR':
        'Ce code-barres n’est pas valide : son chiffre de contrôle est incorrect. Veuillez vérifier les chiffres.',
      'de-DE': 'Dieser Barcode ist ungültig: Die Prüfziffer stimmt nicht. Bitte überprüfen Sie die Ziffern.',
      'es-ES':
        'Este código de barras no es válido: el dígito de control es incorrecto. Compruebe los dígitos.',
    },
  },
  url: {
    code: 'VAL-1030',
    status: 422,
    description:
      'The value is not an absolute http or https URL. Send one such as https://www.example.com/image.jpg.',
    message: {
      'en-US': 'Please enter a complete web address, beginning with https://.',
      'fr-FR': 'Veuillez saisir une adresse web complète, commençant par https://.',
      'de-DE': 'Bitte geben Sie eine vollständige Webadresse ein, die mit https:// beginnt.',
      'es-ES': 'Introduzca una dirección web completa que comience por https://.',
    },
  },
  too_deep: {
    code: 'VAL-1031',
    status: 422,
    description:
      'The value or the path is nested deeper than the property or parameter takes. Send a flatter one.',
    message: {
      'en-US': 'This value is nested too deeply. Maximum number of levels: {maximum}.',
      'fr-FR': 'Cette valeur comporte trop de niveaux imbriqués. Nombre maximal de niveaux : {maximum}.',
      'de-DE': 'Dieser Wert ist zu tief verschachtelt. Höchstanzahl der Ebenen: {maximum}.',
      'es-ES': 'Este valor tiene demasiados niveles anidados. Número máximo de niveles: {maximum}.',
    },
  },
  characters: {
    code: 'VAL-1032',
    status: 422,
    description: 'The text has characters that cannot be stored: U+0000 or a lone surrogate. Remove them.',
    message: {
      'en-US': 'This text contains characters that cannot be saved. Please remove them.',
      'fr-FR':
        'Ce texte contient des caractères qui ne peuvent pas être enregistrés. Veuillez les supprimer.',
      'de-DE': 'Dieser Text enthält Zeichen, die nicht gespeichert werden können. Bitte entfernen Sie diese.',
      'es-ES': 'Este texto contiene caracteres que no se pueden guardar. Elimínelos.',
    },
  },
  field_value: {
    code: 'VAL-1033',
    status: 422,
    description:
      'The value of a custom field does not fit its type. Send a value as the metafield definition type that its type names describes it.',
    message: {
      'en-US': 'The content of the field “{key}” does not fit its type.',
      'fr-FR': 'Le contenu du champ « {key} » ne correspond pas à son type.',
      'de-DE': 'Der Inhalt des Feldes „{key}“ passt nicht zu seinem Typ.',
      'es-ES': 'El contenido del campo «{key}» no corresponde a su tipo.',
    },
  },
  malformed_amount: {
    code: 'VAL-1034',
    status: 422,
    description:
      'The amount is one in no currency: it is not a decimal number, is negative or too large, or has more decimals than ISO 4217 gives any currency. Send a decimal string such as "19.90", and a valid currency, whose own decimals are checked with it.',
    message: {
      'en-US':
        'Please enter a valid amount, not below zero. Decimal places allowed, depending on the currency: up to {decimals}.',
      'fr-FR':
        'Veuillez saisir un montant valide, positif ou nul. Décimales autorisées, selon la devise : {decimals} au maximum.',
      'de-DE':
        'Bitte geben Sie einen gültigen, nicht negativen Betrag ein. Zulässige Nachkommastellen je nach Währung: höchstens {decimals}.',
      'es-ES':
        'Introduzca un importe válido, no inferior a cero. Decimales permitidos, según la moneda: {decimals} como máximo.',
    },
  },
  document_too_large: {
    code: 'VAL-1040',
    status: 422,
    description:
      'The resource would be larger than a resource may be in one language, or in all its languages together: texts, media and custom fields count as they are stored, in bytes of UTF-8. Shorten them.',
    message: {
      'en-US': 'This is too large to be saved: {bytes} bytes. Maximum: {maximum}.',
      'fr-FR': 'L’ensemble est trop volumineux pour être enregistré : {bytes} octets. Maximum : {maximum}.',
      'de-DE': 'Das ist zu umfangreich, um gespeichert zu werden: {bytes} Byte. Maximum: {maximum}.',
      'es-ES': 'El conjunto es demasiado grande para guardarse: {bytes} bytes. Máximo: {maximum}.',
    },
  },
  unknown_argument: {
    code: 'VAL-1080',
    status: 422,
    description:
      'The tool has no argument of this name. Remove or rename it; the inputSchema of the tool names those that it takes.',
    message: {
      'en-US': 'The argument “{name}” is not recognized here{hint}.',
      'fr-FR': 'L’argument « {name} » n’est pas reconnu ici{hint}.',
      'de-DE': 'Das Argument „{name}“ ist hier nicht bekannt{hint}.',
      'es-ES': 'El argumento «{name}» no se reconoce aquí{hint}.',
    },
  },
})

/** Errors of the locale that a request reads or writes. */
export const localeProblems = declareProblems('locale', {
  malformed: {
    code: 'LOC-1001',
    status: 400,
    description: 'Service-Locale does not have the form language-REGION. Send one such as fr-FR.',
    message: {
      'en-US': '“{locale}” is not a valid language setting. Please use a form such as en-US.',
      'fr-FR':
        '« {locale} » n’est pas un paramètre de langue valide. Veuillez utiliser une forme telle que fr-FR.',
      'de-DE': '„{locale}“ ist keine gültige Spracheinstellung. Bitte verwenden Sie eine Form wie de-DE.',
      'es-ES': '«{locale}» no es una configuración de idioma válida. Utilice una forma como es-ES.',
    },
  },
  not_declared: {
    code: 'LOC-1002',
    status: 422,
    description:
      'The write is in a locale that the tenant has not declared. Send Service-Locale with one of the declared locales.',
    message: {
      'en-US': 'Content cannot be saved in the language {locale}. Available languages: {locales}.',
      'fr-FR':
        'Le contenu ne peut pas être enregistré dans la langue {locale}. Langues disponibles : {locales}.',
      'de-DE':
        'Inhalte können nicht in der Sprache {locale} gespeichert werden. Verfügbare Sprachen: {locales}.',
      'es-ES': 'No se puede guardar contenido en el idioma {locale}. Idiomas disponibles: {locales}.',
    },
  },
})

/** Errors of the requested API version. */
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
