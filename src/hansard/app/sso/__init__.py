"""Single sign-on: whom the company's identity provider vouches for, as what, and where."""
