package fakehub

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
)

func (a *api) repoURL(r *repository) string { return a.url("api") + "/repos/" + r.fullName() }

func (a *api) repo(_ *http.Request, r *repository, _ string) answer {
	full := r.fullName()
	owner, name, _ := strings.Cut(full, "/")
	value := map[string]any{
		"id": r.id, "node_id": r.nodeID, "name": name, "full_name": full, "private": false,
		"owner":    map[string]any{"login": owner, "type": "User", "html_url": "https://github.com/" + owner},
		"html_url": "https://github.com/" + full, "url": a.repoURL(r), "description": nil,
		"default_branch": r.branch, "size": r.kilobytes(), "stargazers_count": r.stars, "watchers_count": r.stars,
		"archived": r.archived, "fork": false, "disabled": false, "visibility": "public",
		"pushed_at": stamp(r.pushedAt(r.head())), "updated_at": stamp(r.updatedAt(r.head())), "created_at": stamp(r.pushed.AddDate(-1, 0, 0)),
		"license": nil,
	}
	if r.License != "" {
		value["license"] = map[string]any{"key": strings.ToLower(r.License), "name": r.License, "spdx_id": r.License}
	}
	return jsonAnswer(http.StatusOK, value)
}

// kilobytes is the size with history that the host tells.
func (r *repository) kilobytes() int64 {
	s := r.current()
	if s.empty {
		return 0
	}
	return r.sizeKB + s.padding/1024
}

func emptyRepository() answer { return message(http.StatusConflict, "Git Repository is empty.") }

func (a *api) commit(req *http.Request, r *repository, ref string) answer {
	v, ok := r.resolve(ref)
	switch {
	case r.current().empty:
		return emptyRepository()
	case !ok:
		return message(http.StatusUnprocessableEntity, "No commit found for SHA: "+ref)
	case accepts(req, "sha"):
		return answer{contentType: "application/vnd.github.sha; charset=utf-8", body: []byte(r.commitAt(v)), status: http.StatusOK}
	}
	value, err := a.commitValue(r, v)
	if err != nil {
		return failure(err)
	}
	return jsonAnswer(http.StatusOK, value)
}

func (a *api) commits(req *http.Request, r *repository, _ string) answer {
	if r.current().empty {
		return emptyRepository()
	}
	v, ok := r.resolve(cmp.Or(req.URL.Query().Get("sha"), "HEAD"))
	if !ok {
		return notFound()
	}
	value, err := a.commitValue(r, v)
	if err != nil {
		return failure(err)
	}
	return jsonAnswer(http.StatusOK, []any{value})
}

func (a *api) commitValue(r *repository, v version) (map[string]any, error) {
	t, err := r.list(v)
	if err != nil {
		return nil, err
	}
	owner, _, _ := strings.Cut(r.Repo, "/")
	person := map[string]any{"name": owner, "email": owner + "@users.noreply.github.com", "date": stamp(r.pushedAt(v))}
	sha := r.commitAt(v)
	return map[string]any{
		"sha": sha, "url": a.repoURL(r) + "/commits/" + sha,
		"html_url": "https://github.com/" + r.fullName() + "/commit/" + sha,
		"commit": map[string]any{
			"author": person, "committer": person, "message": "Update skills",
			"tree": map[string]any{"sha": t.root, "url": a.repoURL(r) + "/git/trees/" + t.root},
		},
		"author": nil, "committer": nil, "parents": []any{},
	}, nil
}

func (a *api) branches(_ *http.Request, r *repository, _ string) answer {
	list := []any{}
	if !r.current().empty {
		sha := r.commitAt(r.head())
		list = append(list, map[string]any{
			"name": r.branch, "protected": false,
			"commit": map[string]any{"sha": sha, "url": a.repoURL(r) + "/commits/" + sha},
		})
	}
	return jsonAnswer(http.StatusOK, list)
}

func (a *api) branch(_ *http.Request, r *repository, name string) answer {
	if name != r.branch || r.current().empty {
		return message(http.StatusNotFound, "Branch not found")
	}
	commit, err := a.commitValue(r, r.head())
	if err != nil {
		return failure(err)
	}
	return jsonAnswer(http.StatusOK, map[string]any{"name": r.branch, "commit": commit, "protected": false})
}

// matchingRefs lists the refs whose name begins so: the default branch, or none.
func (a *api) matchingRefs(_ *http.Request, r *repository, prefix string) answer {
	if r.current().empty {
		return emptyRepository()
	}
	list := []any{}
	if strings.HasPrefix("heads/"+r.branch, prefix) {
		sha := r.commitAt(r.head())
		list = append(list, map[string]any{
			"ref": "refs/heads/" + r.branch, "node_id": "REF_" + r.nodeID, "url": a.repoURL(r) + "/git/refs/heads/" + r.branch,
			"object": map[string]any{"type": "commit", "sha": sha, "url": a.repoURL(r) + "/git/commits/" + sha},
		})
	}
	return jsonAnswer(http.StatusOK, list)
}

// archiveLink sends the caller to the codeload host.
func (a *api) archiveLink(req *http.Request, r *repository, ref string) answer {
	if ref == "" {
		ref = r.branch
	}
	if _, ok := r.resolve(ref); !ok || r.current().empty {
		return notFound()
	}
	format := "legacy.tar.gz"
	if strings.Contains(req.URL.Path, "/zipball") {
		format = "legacy.zip"
	}
	if ref == r.branch {
		ref = "refs/heads/" + ref
	}
	to := fmt.Sprintf("%s/%s/%s/%s", a.url("codeload"), r.fullName(), format, ref)
	return answer{status: http.StatusFound, header: map[string]string{"Location": to, "Cache-Control": "public, must-revalidate, max-age=0"}}
}

// graph is what GraphQL tells of a repository.
func (r *repository) graph() object {
	full, v := r.fullName(), r.head()
	owner, name, _ := strings.Cut(full, "/")
	value := object{
		"__typename": "Repository", "id": r.nodeID, "databaseId": r.id, "name": name, "nameWithOwner": full,
		"owner": object{"__typename": "User", "id": "U_" + owner, "login": owner},
		"url":   "https://github.com/" + full, "description": nil, "diskUsage": r.kilobytes(),
		"createdAt": stamp(r.pushed.AddDate(-1, 0, 0)), "pushedAt": stamp(r.pushedAt(v)), "updatedAt": stamp(r.updatedAt(v)),
		"defaultBranchRef": nil, "licenseInfo": nil, "isArchived": r.archived, "isDisabled": false,
		"isEmpty": r.current().empty, "isFork": false, "isPrivate": false, "stargazerCount": r.stars,
	}
	if r.License != "" {
		key := strings.ToLower(r.License)
		value["licenseInfo"] = object{"__typename": "License", "id": "L_" + key, "key": key, "name": r.License, "spdxId": r.License}
	}
	if !r.current().empty {
		commit := r.commitAt(v)
		value["defaultBranchRef"] = object{
			"__typename": "Ref", "id": "REF_" + r.nodeID, "name": r.branch, "prefix": "refs/heads/",
			"target": object{"__typename": "Commit", "id": "C_" + commit, "oid": commit, "committedDate": stamp(r.pushedAt(v))},
		}
	}
	return value
}
