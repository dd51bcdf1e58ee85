/** The icon that browsers request for any page. */
export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f5fd0"/><path d="M8 9h16v4h-6v12h-4V13H8z" fill="#fff"/></svg>`;
