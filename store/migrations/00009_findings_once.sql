-- +goose Up

-- A fault of crawling or parsing that the audit tells of the same file as well is told by the audit alone: data.Once holds
-- the same list.
DROP VIEW v_findings;
CREATE VIEW v_findings AS
SELECT s.id, s.repo_id AS repo, s.copy_of, f.stage, f.rule, f.severity, f.file, f.line, f.message, f.confidence
FROM findings f JOIN skills s ON s.key = f.skill
WHERE s.live AND NOT (f.stage <> 'audit' AND EXISTS (
    SELECT 1 FROM findings a JOIN (SELECT column1 AS found, column2 AS retold FROM (VALUES
        ('archive.link', 'unbundled-file'),
        ('archive.too-large', 'unbundled-file'),
        ('archive.refused', 'unbundled-file'),
        ('discover.damaged', 'unbundled-file'),
        ('discover.lfs-pointer', 'unbundled-file'),
        ('discover.submodule', 'unbundled-file'),
        ('discover.unread', 'unbundled-file'),
        ('discover.spelling', 'skill-file-spelling'),
        ('discover.spelling', 'skill-file-case'),
        ('encoding.binary', 'junk-content'),
        ('encoding.invalid', 'not-utf8'),
        ('encoding.invalid', 'junk-content'),
        ('frontmatter.missing', 'missing-frontmatter'),
        ('frontmatter.missing', 'unclosed-frontmatter'),
        ('frontmatter.missing', 'frontmatter-mapping'),
        ('frontmatter.missing', 'invalid-yaml'),
        ('frontmatter.missing', 'junk-content'),
        ('frontmatter.unclosed', 'unclosed-frontmatter'),
        ('frontmatter.not-mapping', 'frontmatter-mapping'),
        ('frontmatter.recovered', 'invalid-yaml'),
        ('frontmatter.missing-name', 'missing-name'),
        ('frontmatter.missing-name', 'empty-name'),
        ('frontmatter.missing-name', 'field-not-text'),
        ('frontmatter.missing-description', 'missing-description'),
        ('frontmatter.missing-description', 'empty-description'),
        ('frontmatter.missing-description', 'field-not-text'),
        ('frontmatter.wrong-type', 'field-not-text'),
        ('markdown.unclosed-fence', 'unclosed-fence'),
        ('markdown.empty-body', 'empty-body'))) t ON t.retold = a.rule
    WHERE a.skill = f.skill AND a.stage = 'audit' AND a.file = f.file AND t.found = f.rule));
