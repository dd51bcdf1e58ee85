import { createTestDatabase, asAdmin } from '../../harness/database.js';
it('x', async () => {
  const db = await createTestDatabase();
  console.log(
    JSON.stringify(
      await asAdmin(
        db,
        `select datcollate, datctype, datlocprovider, datlocale from pg_database where datname=current_database()`,
      ),
    ),
  );
  console.log(
    JSON.stringify(
      await asAdmin(
        db,
        `select to_tsvector('simple','DEAL-000123 foo@bar.com acme.com 2026-11-21 MÜLLER ÉCOLE a_b x/y AB12 R&D o''neil 1.5 ' || U&'Mu\\0308ller')::text as t, lower('ÜÉ') as l, 'a' < 'B' as c, 'ä'<'z' as d`,
      ),
    ),
  );
  await db.drop();
});
