import { PROBLEMS } from '#libs/kernel/problem.js';

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tenant Operating Platform: API reference</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/page.js"></script>
</body>
</html>
`;

const script = `window.addEventListener('load', () => {
  SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'none',
    filter: true,
    persistAuthorization: true,
    defaultModelsExpandDepth: 0,
    tryItOutEnabled: false,
    validatorUrl: null,
  });
});
`;

const errors = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tenant Operating Platform: error codes</title>
<style>
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
td, th { padding: 0.25rem 1rem 0.25rem 0; text-align: left; vertical-align: top; }
:target { background: #ff9; }
</style>
</head>
<body>
<p><a href="/docs">API reference</a></p>
<h1>Error codes</h1>
<p>Every error response is a problem document (RFC 9457, <code>application/problem+json</code>). Its <code>code</code> is one of these. Rely on codes, which are stable; titles and details may change.</p>
<table>
<thead><tr><th>Status</th><th>Code</th><th>Title</th></tr></thead>
<tbody>
${Object.entries(PROBLEMS)
  .map(
    ([code, [status, title]]) =>
      `<tr id="${code}"><td>${status}</td><td><code>${code}</code></td><td>${escaped(title)}</td></tr>`,
  )
  .join('\n')}
</tbody>
</table>
</body>
</html>
`;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/**
 * The API reference page and the page of error codes. Their content security policy allows nothing from other origins.
 */
export const DOCS_PAGE = {
  html,
  errors,
  script,
  policy:
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self'",
};
