-- What the smoke plants on the new server. Each touches a statement of its own.
ALTER TABLE shop.customer DROP KEY by_city;
ALTER TABLE shop.customer MODIFY name VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL;
SET GLOBAL sql_mode = 'ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,ONLY_FULL_GROUP_BY';
SET GLOBAL optimizer_switch = 'index_merge=off';
DROP FUNCTION shop.tax;
CREATE FUNCTION shop.tax(x DECIMAL(12,2)) RETURNS DECIMAL(12,2) DETERMINISTIC RETURN x * 0.2;
