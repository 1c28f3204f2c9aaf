/** The id of an extension, as galleries and the editor have it. */
export const extensionIdShape = /^[A-Za-z0-9][A-Za-z0-9-]{0,99}\.[A-Za-z0-9][A-Za-z0-9-]{0,99}$/;
